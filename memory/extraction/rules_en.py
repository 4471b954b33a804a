"""English clauses that state something of their speaker."""

import re

from memory.extraction.shapes import Shape

HEAD = re.compile(
    r"^(?:[\s,:*•-]+|\d+[.)]\s|(?:hi|hello|hey|heya|well|so|and|but|also|actually|btw|by the way|fyi|oh|ok"
    r"|okay|yes|yeah|yep|honestly|frankly|to be honest|tbh|anyway|plus|because|since|though|although|look"
    r"|listen|just so you know"
    r"|for the record|I mean|you know|ps|p\.s|note|first|second|finally|basically|personally|in fact"
    r"|as for me|for me|sorry|sure|right|correct|no|nope|update|edit|there|all|everyone|guys|folks|haha+"
    r"|lol|omg|small thing|some news|news|quick update|good news|heads up|oops|please know|know|good (?:morning|afternoon|evening)|I think|I guess|I'd say|I must say"
    r"|I have to say|I admit|turns out|as i said|fun fact|about me)\b(?!\s+(?:that|of)\b)[\s,:!.-]*)+",
    re.IGNORECASE,
)
TAIL = (
    r"(?:\s*(?:,?\s*\b(?:now|too|as well|though|tbh|btw|actually|currently|at the moment|these days"
    r"|nowadays|lately|right now|anymore|haha+|lol|by the way|to be honest|honestly|already|again|please"
    r"|thanks|thank you|you know|I guess|I think|in general|so far|for now|since then|instead|myself|mostly|mainly|usually|daily|full[- ]time|part[- ]time)\b"
    r"|[!.~)]|\b(?:these days|can't wait|ever since|as of (?:now|today))\b|:\)|;\)|:d|😂|😄|😊|🙂|❤️?|👍|😋))*+\s*"
)
_A = (
    r"(?:(?:really|also|just|now|currently|still|actually|truly|absolutely|personally|always|kinda|kind of"
    r"|sort of|totally|usually|mostly|mainly|generally|honestly|simply|recently|finally|already|do"
    r"|definitely|particularly|especially|genuinely|both|primarily|typically|normally|only|very much|so"
    r"|quite|rather|even|today|happily|remotely|part[- ]time|full[- ]time)\s+)*"
)
_AM = r"(?:I'm|I am|i'm|im|I've been|i m)\s+"
_I = rf"I\s+{_A}"
_V = r"[^,.!?;\x00]"
_W = r"(?:[^,!?;\x00.]|\.(?=\w))"


def _en(words: str, *, ends: bool = False, confidence: float = 0.9, case: bool = False) -> Shape:
    return Shape(re.compile(words, 0 if case else re.IGNORECASE), ends, confidence)


_FAN = (
    r"(?:a|such a|the|quite a)\s+(?:very\s+|really\s+)?(?:big|huge|massive|great|real|avid|total"
    r"|long-?time)?\s*(?:fan of|lover of|sucker for|fanatic about)"
)
SHAPES: tuple[Shape, ...] = (
    # who
    _en(rf"(?:(?:the\s+)?name's|name:)\s+(?P<surely_name>{_W}{{1,40}}?){TAIL}"),
    _en(rf"(?:my|the)\s+(?:full\s+|real\s+|first\s+|english\s+)?name(?:'s| is)\s+(?P<name>{_W}{{1,40}}?){TAIL}"),
    _en(
        r"(?:(?:please|you can|you may|just|everyone|people|friends|my friends|they all"
        rf"|call)\s+)*call(?:s)?\s+me\s+(?P<name>{_W}{{1,30}}?){TAIL}"
    ),
    _en(rf"(?:I'm|I am|im)\s+(?:called|named)\s+(?P<name>{_W}{{1,30}}?){TAIL}"),
    _en(rf"I\s+go\s+by\s+(?P<name>{_W}{{1,30}}?){TAIL}"),
    _en(
        rf"(?:{_AM}|this is\s+|it's\s+)(?P<surely_name>{_W}{{2,30}}?)(?:\s+here|\s+by the way"
        rf"|\s+btw)?{TAIL}"
    ),
    _en(
        rf"(?:{_AM}|this is\s+)(?P<surely_name>[A-Z]\S{{1,20}})\s+(?:from|at"
        rf"|in)\s+(?P<from_place>{_W}{{2,30}}?){TAIL}"
    ),
    _en(rf"(?P<surely_name>[A-Z]\w{{1,20}})\s+here(?:\s+(?:from|in)\s+(?P<from_place>[A-Z]{_W}{{1,30}}?))?{TAIL}", case=True),
    # work
    _en(
        rf"(?:{_AM}{_A}|I\s+{_A}work\s+(?:now\s+)?as\s+)(?:an?\s+|the\s+)?(?P<occupation>{_W}{{2,50}}?)\s+(?:at"
        rf"|for|with)\s+(?P<employer>{_W}{{2,40}}?){TAIL}"
    ),
    _en(
        rf"(?:{_AM}{_A}|I\s+{_A}work\s+as\s+)(?:an?\s+|the\s+)(?P<occupation>{_W}{{2,50}}?)(?:\s+(?:by (?:trade"
        rf"|profession|training)|based in\s+(?P<residence>{_W}{{2,30}}?)"
        rf"|in\s+(?P<residence_known>{_W}{{2,30}}?)|from\s+(?P<from_place>{_W}{{2,30}}?)))?{TAIL}"
    ),
    _en(rf"{_AM}{_A}(?P<occupation>{_W}{{2,50}}?){TAIL}"),
    _en(
        r"my\s+(?:job|profession|occupation|trade|day job)(?:'s| is)\s+(?:an?\s+|being an?\s+"
        rf"|as an?\s+)?(?P<occupation>{_W}{{2,50}}?){TAIL}"
    ),
    _en(
        rf"{_I}(?:work|working|worked)\s+{_A}(?:at|for)\s+(?P<employer>{_W}{{2,40}}?)(?:\s+as\s+(?:an?\s+"
        rf"|the\s+)?(?P<occupation>{_W}{{2,40}}?))?{TAIL}".replace("|worked", "")
    ),
    _en(
        rf"{_AM}{_A}(?:working|employed)\s+(?:at|for|by)\s+(?P<employer>{_W}{{2,40}}?)(?:\s+as\s+(?:an?\s+"
        rf"|the\s+)?(?P<occupation>{_W}{{2,40}}?))?{TAIL}"
    ),
    _en(
        rf"(?:{_I}|I've\s+{_A}|I have\s+{_A})(?:joined|started (?:work(?:ing)? )?(?:at|with)"
        r"|started (?:a )?(?:new )?(?:job|role|position) at|got (?:a|hired|the) (?:new )?(?:job |position "
        r"|role )?(?:at|by)|got hired by|switched jobs to|moved jobs to"
        rf"|took a job at)\s+(?P<hired>{_W}{{2,40}}?)(?:\s+as\s+(?:an?\s+"
        rf"|the\s+)?(?P<occupation>{_W}{{2,40}}?))?{TAIL}"
    ),
    _en(
        r"my\s+(?:current\s+|new\s+)?(?:employer|company|workplace)(?:'s"
        rf"| is)\s+(?:called\s+)?(?P<employer>{_W}{{2,40}}?){TAIL}"
    ),
    # where
    _en(
        rf"(?:(?:{_I}|we\s+{_A})(?:live|reside)|{_AM}{_A}(?:living|residing|based|located|settled)|I\s+(?:based|living))\s+{_A}(?:out\s+)?(?:in|at)"
        rf"\s+(?P<residence>{_W}{{2,40}}?){TAIL}"
    ),
    _en(
        rf"(?:{_I}|I've\s+{_A}|I have\s+{_A}|we\s+{_A}|we've\s+{_A})(?:moved|relocated|emigrated|moved back|moved over"
        rf"|moved house)\s+(?:here\s+)?(?:from\s+{_W}{{2,20}}?\s+)?to\s+(?P<moved>{_W}{{2,40}}?)(?:\s+from\s+"
        rf"{_W}{{2,20}}?)?{TAIL}"
    ),
    _en(rf"{_AM}{_A}in\s+(?P<residence_known>{_W}{{2,30}}?){TAIL}"),
    _en(
        r"my\s+(?:home|hometown city|home base)(?:'s"
        rf"| is)\s+(?:now\s+)?(?:in\s+)?(?P<residence_known>{_W}{{2,30}}?){TAIL}"
    ),
    _en(
        rf"(?:{_AM}{_A}(?:originally\s+)?from|{_I}(?:come from|hail from|grew up in)|(?:{_I}was\s+)?(?:born|raised"
        rf"|born and raised)\s+in|my hometown is)\s+(?P<origin>{_W}{{2,40}}?)(?:\s+originally)?{TAIL}"
    ),
    _en(rf"{_AM}(?P<age>\d{{1,2}})(?:\s*(?:years old|yo|y/o|years of age))?{TAIL}"),
    _en(rf"I\s+(?:just\s+|finally\s+)?turn(?:ed)?\s+(?P<age>\d{{1,2}})(?:\s+(?:last|this|next)\s+\w+|\s+today|\s+yesterday)?{TAIL}"),
    _en(rf"my\s+(?:birthday|bday|b-day)(?:'s| is)\s+(?:on\s+)?(?P<birthday>{_V}{{3,24}}?){TAIL}"),
    # how to talk with them
    _en(
        r"(?:(?:please|always|from now on|just|kindly|could you please|you should|you can"
        r"|next time)[\s,]+)*(?:answer|reply|respond|write|speak|talk|write back|communicate"
        r"|chat)\s+(?:to me\s+|me\s+|with me\s+"
        rf"|back\s+)?(?:only\s+)?in\s+(?P<spoken>[A-Za-z]{{4,12}}(?: Chinese)?)(?:\s+(?:only|from now on|please|to me|with me"
        rf"|always))*{TAIL}"
    ),
    _en(
        rf"(?:my\s+(?:native|first|preferred|mother)\s+(?:language|tongue)(?:'s| is)|{_I}speak"
        rf"|I\s+prefer\s+(?:to\s+(?:speak|write|talk)\s+(?:in\s+)?))\s+(?P<spoken>[A-Za-z]{{4,12}}(?:(?:,| and"
        rf"|、) ?[A-Za-z]{{4,12}}){{0,3}})(?:\s+(?:natively|fluently|at home))?{TAIL}"
    ),
    _en(
        r"(?:(?:please|always|from now on|just|kindly|try to|i want you to)[\s,]+)*(?:keep|make"
        r"|give me)\s+(?:your\s+|the\s+|all\s+|me\s+)*(?:answers?|replies|responses?|explanations?|it"
        r"|things)?\s*(?:as\s+)?(?P<manner>short|brief|concise|detailed|long|simple|casual|formal"
        rf"|to the point)(?:\s+(?:answers|replies|responses|and simple|as possible|from now on))*{TAIL}"
    ),
    _en(
        r"(?:(?:please|always|from now on|just|kindly)[\s,]+)+(?:use|answer with|reply with|respond with"
        r"|give me|answer in|reply in)\s+(?P<manner>bullet points?|tables?|lists?|code|markdown"
        r"|short (?:answers?|sentences)|plain text|emojis?|steps|bullets)(?:\s+(?:in|for"
        rf"|when){_W}{{0,30}})?(?:\s+from now on)?{TAIL}"
    ),
    _en(
        rf"(?:{_I}prefer|I'd\s+(?:much\s+)?(?:prefer|rather have)|{_I}would prefer|my preference is|{_I}favou?r"
        rf"|I like)\s+(?P<prefers>{_W}{{2,60}}?)(?:\s+(?:over|to|rather than|instead of|more than"
        rf"|better than)\s+{_W}+?){TAIL}"
    ),
    _en(
        rf"(?:{_I}prefer|I'd\s+(?:much\s+)?(?:prefer|rather have)|my preference is"
        rf"|{_I}favou?r)\s+(?P<prefers>{_W}{{2,60}}?){TAIL}"
    ),
    _en(rf"I'd\s+rather\s+(?:have|get|see)\s+\w+\s+as\s+(?:an?\s+)?(?P<manner>bullet points?|tables?|lists?|code|markdown|plain text|short \w+|steps){TAIL}"),
    _en(rf"(?P<prefers>(?!(?:it|this|that|which|what|he|she|they|today|tomorrow|tonight|later|next|\d\S*|the (?:first|second|last|other|latter)|[a-z]+day)\b){_W}{{2,30}}?)\s+(?:works?|suits?|is|are)\s+(?:me\s+)?(?:way\s+|much\s+|a lot\s+)?(?:better|best|easier|easiest)\s*(?:for me)(?:\s+than\s+{_W}+?)?{TAIL}"),
    _en(rf"(?P<prefers>(?!(?:it|this|that|which|what|he|she|they|today|tomorrow|tonight|later|next|\d\S*|the (?:first|second|last|other|latter)|[a-z]+day)\b){_W}{{2,30}}?)\s+suits?\s+me\s+(?:way\s+|much\s+|a lot\s+)?(?:better|best)(?:\s+than\s+{_W}+?)?{TAIL}"),
    _en(rf"{_AM}{_A}more\s+(?:of\s+)?an?\s+(?P<prefers>{_W}{{2,30}}?)(?:\s+(?:person|guy|girl|lover|kind of \w+))(?:\s+than\s+{_W}+?)?{TAIL}"),
    # taste
    _en(
        rf"(?:{_I}(?:hate|dislike|detest|despise|loathe|can't stand|cannot stand|can't bear"
        r"|couldn't care less about|(?:don't|do not|dont|didn't)\s+(?:really\s+|particularly\s+|even\s+"
        r"|actually\s+)?(?:like|love|enjoy|care for|eat|drink)|never (?:really\s+)?liked|no longer (?:like"
        rf"|love|enjoy)|have no interest in)|{_AM}{_A}(?:not|no)\s+(?:really\s+|much of\s+|exactly\s+"
        rf"|that\s+)?(?:{_FAN}|(?:a|much of a)\s+fan of|fan of|into|fond of|keen on|interested in"
        rf"|crazy about))\s+(?P<dislikes>{_W}{{2,50}}?){TAIL}"
    ),
    _en(
        rf"(?:{_I}(?:love|like|adore|enjoy|dig|fancy|can't get enough of|'m loving|am loving"
        rf"|have a soft spot for|have a thing for|fell in love with)|{_AM}{_A}(?:{_FAN}|into|fond of|keen on"
        r"|crazy about|passionate about|mad about|obsessed with|addicted to|in love with"
        rf"|loving))\s+(?P<likes>{_W}{{2,50}}?){TAIL}"
    ),
    _en(
        r"(?P<likes>(?!(?:it|this|that|he|she|they|these|what|there|which|who|you|your|one"
        rf"|mine)\b){_W}{{2,40}}?)\s+(?:is|are|has always been|have always been|was always)\s+(?:by far\s+"
        r"|definitely\s+|still\s+|probably\s+|always\s+)?(?:one of\s+)?my\s+(?:absolute\s+|all-time\s+"
        rf"|all time\s+|personal\s+|very\s+)*(?:favou?rites?|fav|fave|jam|thing|go-to)(?:\s+\w+){{0,2}}?{TAIL}"
    ),
    _en(
        rf"my\s+(?:absolute\s+|all-time\s+|all time\s+)?(?:favou?rite|fav|fave)(?:\s+\w+){{0,2}}?\s+(?:is|are"
        rf"|has always been)\s+(?P<likes>{_W}{{2,40}}?){TAIL}"
    ),
    _en(
        rf"(?:{_AM}{_A}(?:interested|very interested|deeply interested)\s+in|my\s+(?:main\s+)?(?:hobby|hobbies"
        r"|interest|interests)\s+(?:is|are|include)"
        rf"|{_I}have an interest in)\s+(?P<interest>{_W}{{2,60}}?){TAIL}"
    ),
    # things and habits
    _en(rf"(?:{_I}|I've\s+been\s+)(?:run|running|own|manage)\s+(?P<has>(?:an?|my own|two|the)\s+{_W}{{2,50}}?){TAIL}"),
    _en(
        r"my\s+(?:main\s+|daily\s+|current\s+|work\s+)?(?:laptop|phone|camera|editor|browser|keyboard|bike|car|os|ide|terminal|tablet)"
        rf"(?:'s|\s+is)\s+(?:an?\s+|the\s+)?(?P<tool>(?-i:[A-Z]){_W}{{1,30}}?){TAIL}"
    ),
    _en(
        r"(?:my|our|the)\s+(?P<thing>(?!.*\b(?:phone|passport|card|pin|account|password|security|mobile|cell|bank)\b)(?:[\w'-]+\s+){0,3}?"
        r"(?:number|id|code|ref(?:erence)?|locker|booth|stall|table|room|seat|plot|ticket))\s+(?P<state>is\s+(?:number\s+|no\.?\s*)?"
        rf"(?=[\w#-]*\d)[\w#-]{{1,20}}){TAIL}"
    ),
    _en(rf"{_I}(?P<habit>(?:teach|coach|volunteer|study|mentor)\s+{_W}{{3,50}}?){TAIL}"),
    _en(rf"for\s+[^,.!?;\x00]{{2,30}}?,?\s+(?:I|we)\s+{_A}(?:use|rely on)\s+(?P<tool>{_W}{{2,50}}?){TAIL}"),
    _en(rf"(?:I've\s+|I have\s+|I\s+)?been\s+(?:on|using)\s+(?P<tool>(?-i:[A-Z]){_W}{{1,30}}?)\s+(?:ever since|since\b{_W}*|for\s+(?:years|months|ages|\w+\s+years?)){TAIL}"),
    _en(rf"{_AM}{_A}(?:in charge of|responsible for|organi[sz]ing|heading up|taking care of)\s+(?P<duty>{_W}{{3,60}}?){TAIL}"),
    _en(
        r"(?:the|our|my)\s+(?P<thing>(?:[\w'-]+\s+){0,2}?(?:exam|interview|flight|appointment|wedding|surgery|viva|defen[cs]e"
        r"|recital|audition|visa interview|driving test|graduation))\s+(?P<state>(?:is|'s)\s+(?:on\s+|at\s+|in\s+)?(?:the\s+)?"
        r"(?=[\w ]*?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|tomorrow|next|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
        rf"{_W}{{3,30}}?){TAIL}"
    ),
    _en(rf"(?:please\s+|pls\s+)?(?P<event>(?:put|sign|count)\s+me\s+(?:down|up|in)\s+for\s+{_W}{{3,60}}?){TAIL}"),
    _en(
        rf"(?:{_I}(?:no longer|don't|do not|dont|stopped|quit|gave up)|I've\s+(?:stopped|quit"
        rf"|given up))\s+(?:use|using|working with)\s+(?P<tool>{_W}{{2,30}}?)\s+(?:any ?more|any longer){TAIL}",
        ends=True,
    ),
    _en(
        rf"(?:{_I}(?:no longer use|stopped using|quit using|gave up(?: using)?)|I've\s+(?:stopped using"
        rf"|given up(?: using)?|quit using))\s+(?P<tool>{_W}{{2,30}}?){TAIL}",
        ends=True,
    ),
    _en(
        rf"{_I}(?:no longer work|stopped working)\s+(?:at|for)\s+(?P<employer>{_W}{{2,40}}?){TAIL}|{_I}(?:don't"
        rf"|do not|dont)\s+work\s+(?:at|for)\s+(?P<employer2>{_W}{{2,40}}?)\s+any ?more{TAIL}",
        ends=True,
    ),
    _en(
        rf"{_I}(?:left|quit|resigned from)\s+(?:my (?:job|position|role) at\s+)?(?P<hired>{_W}{{2,40}}?){TAIL}",
        ends=True,
    ),
    _en(
        rf"{_I}(?:no longer live|stopped living)\s+in\s+(?P<residence>{_W}{{2,40}}?){TAIL}|{_I}(?:don't|do not"
        rf"|dont)\s+live\s+in\s+(?P<residence2>{_W}{{2,40}}?)\s+any ?more{TAIL}|(?:{_I}moved (?:out of"
        rf"|away from)|{_AM}no longer in)\s+(?P<residence_known>{_W}{{2,40}}?){TAIL}",
        ends=True,
    ),
    _en(
        rf"(?:(?:I|we|my team|our team)\s+{_A}(?:use|code in|program in|develop with|build with"
        r"|rely on|(?:switched|migrated|moved)(?:\s+over)?(?:\s+from\s+[\w.+# ]{2,20}?)?\s+to|run on)|(?:I'm|I am|we're|we are"
        rf"|im)\s+{_A}using)\s+(?P<tool>{_W}{{2,50}}?){TAIL}"
    ),
    _en(
        rf"(?:{_I}(?:have|own|got|adopted|bought)|I've\s+(?:got\s+)?)\s*(?P<has>(?:an?|one|two|three|four|five"
        rf"|\d+|some|my own)\s+{_W}{{2,50}}?){TAIL}"
    ),
    _en(
        r"my\s+(?P<pet>cat|dog|puppy|kitten|rabbit|hamster|parrot|bird|horse|turtle|tortoise)(?:'s name is"
        rf"|\s+is\s+(?:called|named))\s+(?P<called>{_W}{{2,20}}?){TAIL}"
    ),
    _en(
        r"(?:I|we)\s+(?P<habit>(?:(?:usually|always|often|normally|typically|generally|also"
        rf"|never)\s+)?{_W}{{2,50}}?\s+(?:every|each)\s+(?:other\s+)?(?:single\s+)?(?:day|night|morning|evening"
        rf"|afternoon|week|weekend|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?{_W}{{0,30}}?){TAIL}"
    ),
    _en(
        r"(?:I|we)\s+(?P<habit>(?:usually|always|often|normally|typically|generally)\s+(?!(?:forget|use|like|have|do|did|will|am|was|knew|know"
        rf"|love|prefer|wanted|thought|wonder|get|be)\b){_W}{{4,60}}?|{_W}{{2,40}}?\s+on\s+(?:mon|tues|wednes"
        rf"|thurs|fri|satur|sun)days{_W}{{0,20}}?){TAIL}"
    ),
    _en(rf"(?P<habit>(?:(?:every|each)\s+\w+(?:\s+\w+)?|most\s+(?:mornings|evenings|days|nights|weekends|weeks)),?)\s+(?:I|we)\s+(?P<habit_rest>{_W}{{3,50}}?){TAIL}"),
    _en(rf"I\s+(?:just\s+|have\s+)?(?P<quit>quit my job|resigned|got laid off|lost my job|got fired){TAIL}", ends=True),
    # what happened, what is planned
    _en(
        rf"(?:the|our|my)\s+(?P<thing>(?:[\w'-]+\s+){{0,3}}?(?:deadline|due date|launch date"
        r"|release date))\s+(?P<state>(?:is|was moved to|moved to|has moved to|got moved to)\s+(?:on\s+"
        rf"|now\s+)?{_W}{{3,30}}?){TAIL}"
    ),
    _en(
        rf"(?:(?:I|we)\s+{_A}|(?:I've|we've|I have|we have)\s+{_A})(?P<event>(?:signed up (?:for|to)|saw(?=\s+(?-i:[A-Z]))|registered for"
        r"|enrolled in|cancell?ed|attended|went to|travelled to|traveled to|flew to|drove to|got back from|came back from|returned from|visited|bought"
        r"|booked|ordered|finished|completed|passed|failed|submitted|applied (?:for|to)"
        r"|graduated from|met(?: with)?|gave a talk at|spoke at|ran|adopted|launched|shipped|released"
        rf"|started(?: learning| a| the| my)?|began|won|RSVP'd (?:for|to))\s+{_W}{{3,60}}?){TAIL}"
    ),
    _en(
        rf"(?:{_AM}{_A}|I\s+)(?P<event>(?:going to|planning (?:to|on)|plan to|intend to|will be|will|about to"
        r"|flying to|travelling to|traveling to|heading to|attending|visiting|scheduled to|due to|leaving for"
        rf"|getting married|moving to)\b\s*{_W}{{3,60}}?){TAIL}"
    ),
    _en(
        rf"(?:{_AM}|we're\s+){_A}(?P<event_ahead>(?:meeting|hosting|running|giving|playing|speaking|performing|teaching|seeing"
        rf"|having|taking|doing|starting)\s+{_W}{{3,60}}?){TAIL}"
    ),
    _en(
        rf"(?:I|we)(?:'ve)?\s+{_A}(?P<event_dated>(?:have|got|had|need|must)\s+(?:to\s+\w+\s+)?(?:an?\s+|my\s+"
        rf"|the\s+|our\s+)?{_W}{{0,30}}?(?:meeting|interview|exam|appointment|flight|trip|party|wedding"
        r"|presentation|deadline|call|conference|meetup|class|course|workshop|talk|demo|review|concert|race"
        rf"|game|match|dinner|visit|test){_W}{{0,20}}?){TAIL}"
    ),
    _en(
        r"(?:we|I|our team|the team)(?:'ve| have| has)?\s+(?:finally\s+|just\s+"
        r"|all\s+)?(?P<decision>(?:decided|agreed|chose|opted|settled|voted)\s+(?:to|on|that|for|against"
        rf"|not to)\s+{_W}{{3,80}}?){TAIL}"
    ),
    _en(
        r"(?:the|our|my)\s+(?P<thing>(?!(?:name|birthday|job|favou?rite|cat"
        rf"|dog)\b)[\w' -]{{2,40}}?)\s+(?P<state>(?:is|are|was|were|has been|'s)\s+(?:still\s+|now\s+"
        r"|currently\s+|all\s+)?(?:blocked|stuck|on hold|delayed|postponed|overdue|due|in progress|cancelled"
        rf"|canceled|scheduled|done|finished|complete|completed|waiting (?:for|on)|live)\b{_W}{{0,60}}?){TAIL}"
    ),
    # others
    _en(
        r"my\s+(?P<kin>(?:younger |older |little |big |twin |best |ex-?)?(?:mother|mom|mum|father|dad|sister"
        r"|brother|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|friend|colleague|coworker|boss"
        r"|manager|roommate|cousin|uncle|aunt|grandmother|grandfather|grandma|grandpa|neighbou?r|teammate))"
        r"(?:,?\s+(?P<who>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?),?)?\s+(?P<does>(?:lives|works|studies|plays|teaches|speaks|runs|owns"
        rf"|moved|is an?|is called|is named|is from|was born)\s*{_W}{{0,50}}?){TAIL}"
    ),
)
