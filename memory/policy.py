"""Every tunable number of the memory system, with its unit and reason."""

RECENCY_PER_HOUR = 0.995
"""Decay of a memory's recency per hour since its last recall (Generative Agents)."""
WEIGHTS = {"recency": 0.4, "relevance": 0.3, "importance": 0.3}
"""Weights of the score in conversation; each part is in 0..1."""
MIN_RELEVANCE = 0.12
"""Relevance (0..1) below which nothing is better than noise."""
COSINE_OF_NOTHING = 0.06
"""Centred cosine of a question with a text that has nothing to do with it, on average."""
COSINE_OF_SURE = 0.5
"""Centred cosine from which nothing is doubted."""
MIN_GAP = 0.2
"""How far a text must stand out by its cosine alone, where words don't find it."""
SAME_QUESTION = 0.85
"""Both parts of the relevance (0..1) from which a past question counts as the same one."""
SAME_MEANING = 0.85
"""Centred cosine from which one word that stands for another may say the same: below it “apply for a refund” is not
“apply for an account”. Of 2,000 pairs of LCQMC a tenth of the wrong ones goes, and 2 of 81 right ones in a hundred."""
NEXT_TO_BEST = 0.4
"""Share of the best relevance below which another find of the same kind is left out."""
SHARED_ABOUT_SELF = 0.5
"""Meaning (0..1) that shared knowledge needs where the member asks about themselves."""
EPISODES = 2
"""Past exchanges that go into the context at most."""
NEAREST = 20
"""Past exchanges looked at more closely for a context: so many by words, so many by meaning, and their neighbours."""
CANDIDATES = 60
"""The same for a list of twenty, three for each place."""
USUAL_OF = 2_000
"""Past exchanges, or passages, of which the median cosine is taken, the oldest: as good as of all, without sorting."""
WINDOW_TURNS = 2
"""Turns before and after an exchange, in its conversation, whose words count with its own."""
RERANKED = 20
"""Finds of each kind that an endpoint for reranking is asked about: as many as it can read in its time."""
MIN_COVERAGE = 0.2
"""Share of the question's words that a hit must hold."""
PUT_IN = 5
"""Memories that go into the context at most."""
PASSAGES = 3
"""Passages of shared knowledge that go into the context at most."""
WINDOW_ROUNDS = 10
"""Rounds of the conversation that stand in the context word by word, if they fit."""
WORKING_TOKENS = 8_000
"""Tokens of working memory: the conversation and what tools gave."""
FOLD_AT = 0.75
"""Share of these from which the oldest rounds are folded into a summary; the rest is left to tools."""
FOLD_TO = 0.5
"""Share that is left by folding, so that not every message folds again."""
FOLD_ROUNDS = 5
"""Rounds beyond `WINDOW_ROUNDS` that are folded at once, for the same reason."""
VERBATIM_ROUNDS = 3
"""Last rounds that are never folded."""
SUMMARY_WORDS = 200
"""Words of the summary of a conversation; a Chinese one counts two characters."""
SUMMARY_SECONDS = 40
"""Longest time that a model may take for one."""
WORKER_IDLE_SECONDS = 60
"""So long may a worker take nothing while something waits for it: then it has lost its place in the queue."""
REWRITE_SECONDS = 1.5
"""Longest time that an answer waits for other wordings of its question."""
REWRITE_ROUNDS = 2
"""Questions before it that a rewriting model sees, so that "and hers?" can be understood."""
REWRITE_CHARACTERS = 240
"""Of each wording that count."""
GIST_CHARACTERS = 60
"""Code points kept of a folded question, where no model writes the summary."""
EXACT_TOKENS = 1_500
"""Tokens of the folded sentences that keep their wording, the newest."""
FOLDED_MOST = 200
"""Rounds that are looked back on at most."""
TOOL_TOKENS = 2_000
"""Tokens of what tools gave in one answer; the oldest is left out first, never a word of the member's."""
BLOCK_LIMIT = 2000
"""Code points of a block."""
TOOL_STEPS = 4
"""Times that an answer may go on after tools; then it must be given."""
TOOL_CALLS = 8
"""Calls of one step; more are refused."""
TOOL_FINDS = 5
"""Finds of one search by a tool."""
TOOL_CHARACTERS = 4000
"""Code points of one call's arguments."""
OVERVIEWS = 3
"""Overviews of earlier conversations that go into the context at most."""
OVERVIEW_DAYS = 30
"""Days after its last round for which a conversation's overview is shown."""
OVERVIEW_TOPICS = 6
"""Topics kept of one conversation."""
OVERVIEW_CHARACTERS = 160
"""Characters kept of its last question."""
WINDOW_SECONDS = 6 * 3600
"""How long an idle member's working memory stays at hand; the turns table keeps it all."""
BUDGETS = {
    "rules": 400, "persona": 500, "profile": 300, "memories": 200, "knowledge": 800,
    "overviews": 200, "conversation": 6000, "message": 4000,
}  # fmt: skip
"""Tokens of each region of the context, in the order in which they stand."""
UNDO_DAYS = 30
"""Days for which a forgotten memory can be brought back by the member; then its words go for good."""
STRENGTH_PER_DAY = 0.99
"""Decay of a memory's strength per day since its last recall: about a third is left after 110 days."""
STRENGTH_PER_RECALL = 0.1
"""Share of strength that each recall adds; what is used stays."""
STRENGTH_RECALLS = 10
"""Recalls that count, so that nothing lives only by having been recalled often."""
IMPORTANT = 0.8
"""Importance (0..1) from which no number alone takes a memory away."""
COLD_DAYS = 30
"""Days untouched after which an event is archived."""
LIVE_EVENTS = 100
"""Events of one member that are live, the newest; older ones are archived."""
LIVE_MEMORIES = 1_000
"""Live memories of one member; over that the weakest are archived, events first."""
SHELF_DAYS = 7
"""Days archived after which the words move into the member's file: who changes their mind in a week touches no file."""
BUCKET_CONNECT_SECONDS = 5
"""Wait for a bucket's address; somebody may be waiting for an answer without it."""
BUCKET_READ_SECONDS = 20
"""Wait for what it says: a member's whole file is some hundred kilobytes."""
BUCKET_ATTEMPTS = 3
"""Attempts at one file in all."""
FADED = 0.1
"""Strength below which an archived memory may be forgotten."""
UNUSED_DAYS = 90
"""Days unused before that."""
KEEP_BATCH = 25
"""Memories changed in one transaction: their community's audit waits for its end, and so does a member who chats."""
KEPT_HOURS = 12
"""Hours for which a member's memories count as kept; less than a day, so that each night comes to everybody."""
ALIKE_LEAST = 5
"""Alike events that become one memory."""
ALIKE_SHARE = 0.34
"""Share of each event's words that all of them have in common, a third; of two words at least, or most of them."""
ALIKE_DAYS = 7
"""Days after which an event may become part of a memory of several: until then it is asked for by itself."""
NAMED_PARTS = 5
"""Parts that a memory made of several quotes, the newest; it counts them all."""
PART_CHARACTERS = 48
"""Code points of each part that it quotes: five of them fit into the memories' region beside another memory."""
MADE_IMPORTANCE = 0.7
"""Importance at most of what a machine has made of others: below `IMPORTANT`, so that it is never beyond numbers."""
SUMMARY_DAYS = 30
"""Days after which an exchange leaves search, and a summary of its month and topic tells of it."""
BY_DAY = 7
"""Days of the longest stretch that is answered by its exchanges; a longer one by the summaries of its months."""
SUMMARY_TOPICS = 8
"""Summaries of one month in one language at most; what else was asked then shares one."""
SUMMARY_LEAST = 3
"""Exchanges of one topic in a month that have a summary of their own."""
SUMMARY_IMPORTANCE = 0.3
"""Importance of a summary: it is found by what it says, and never ranked above what the member has told."""
REPEATED = 3
"""Distinct days on which a task was asked for, before a procedure is proposed."""
REPEATED_DAYS = 90
"""Days within which these lie."""
REPEATED_SHARE = 0.5
"""Share of a request's words that all of them have in common."""
LESSON_CHARACTERS = 100
"""Code points of each part of an experience, in the member's words: three of them fill no region."""
EXPERIENCE_IMPORTANCE = 0.6
"""Importance of an experience: above an event, as it is kept to be used again."""
LESSON_DAYS = 3
"""Days for which a model may look at how a task ended: three nights, should it not answer on the first."""
LESSONS_A_NIGHT = 5
"""Ends that a model looks at for one member in one night."""
WORDINGS_A_NIGHT = 5
"""Summaries of one member that a model words anew in one night."""
WORDING_DAYS = 3
"""Nights that one summary is given to it, should its wording be of no use."""
WORDING_CHARACTERS = 300
"""Code points of a summary that a model has worded."""
WORDING_SHARE = 0.6
"""Share of its words that must be the member's; the rest joins them."""
ESTIMATES = 60
"""Memories of one member of which a model estimates the future help in one review: what rules find the weakest."""
ESTIMATED_LEAST = 0.8
"""Share of them that it must have looked at, for its estimates to count."""
ESTIMATE_SWAY = 0.5
"""How far an estimate moves what rules say: from half of it to one and a half times as much."""
ADVICE_SECONDS = 25
"""Longest time that a model may take before, and again after, the steps of one member's night; then rules decide."""
EXPERIENCE_WORDS = 8
"""Words of how it ended by which one experience is told from another."""
EXPERIENCE_BEFORE = 6
"""Messages of the same conversation before an outcome in which its task may have been told."""
WEAK_SHARE = 0.2
"""Share of a member's machine-written memories that is marked as weak."""
WEAK_MINUS = 0.05
"""What a weak memory loses of its score (0..1); all boosts together are worth 0.1."""
PROMOTE_SESSIONS = 5
"""Conversations that a memory was recalled in, since its importance last changed, before it rises."""
DEMOTE_DAYS = 90
"""Days unused, and unchanged in importance, before it falls."""
PRIORITY_STEP = 0.1
"""Importance by which it rises or falls."""
PROMOTE_MOST = 0.75
"""Importance that use alone can reach: below `IMPORTANT`."""
DEMOTE_LEAST = 0.2
"""Importance below which disuse takes nothing more; with it a fact still stands."""
REVIEW_DAYS = 7
"""Days between two reviews of what a machine has written of one member."""
ASK_LIMIT = 4000
"""Code points of one question."""
FRAME_LIMIT = 64 * 1024
"""Bytes of one frame from the socket."""
ASKS_A_MINUTE = 120
"""Questions of one member in a minute."""
TWICE_SHARE = 0.6
"""Of the words of two memories those that both have, from which on they may say the same."""
TWICE_HOLDING = 60
"""Memories that hold a word; a more common one tells nothing about a pair."""
TWICE_SHOWN = 5
"""Pairs that a page suggests to put together."""
TURN_TOKENS = 12_000
"""Tokens that a turn is taken to need while it is being answered: a full context and a long answer."""
INTEREST_TURNS = 3
"""Turns that ask about a topic before it counts as an interest."""
TURN_SECONDS = 90
"""Longest time that one answer may take, model retries included."""
SILENT_SECONDS = 20
"""A running turn that gave no sign of life for so long is ended as interrupted."""
EXTRACT_LIMIT = 4000
"""Code points of one message that a model reads in the background; the rest is left out, and said so."""
EXTRACT_ANSWER = 1200
"""Code points of the answer that go along, to understand the message by."""
EXTRACT_MOST = 8
"""Facts taken from one exchange."""
EXTRACT_SECONDS = 40
"""Longest time that one exchange may take, the repair included."""
EXTRACT_ATTEMPTS = 3
"""Times that an exchange is tried before it waits for a person."""
EXTRACT_AGAIN_SECONDS = 30
"""Wait before the second attempt; four times as long before the third."""
EXTRACT_AT_ONCE = 4
"""Exchanges read at the same time by one worker."""
TELL_LIMIT = 20_000
"""Code points of one message that a command has remembered; the rest is left out, and said so."""
TELL_MESSAGES = 1_000
"""Messages of the member that one command reads, so that one file can't become an unbounded bill."""
TELL_ALL = 200_000
"""Code points of the member's that one command reads in all."""
PASSAGE_LIMIT = 900
"""Code points of one passage of shared knowledge: what fits whole into the context beside others."""
IMPORT_LIMIT = 2_000_000
"""Code points of one imported file; of a longer one the command reads no more, and says so, the page reads nothing."""
IMPORT_BYTES = 4 * IMPORT_LIMIT
"""Of one file that is sent to the page: a code point takes at most four."""
IMPORT_FILES = 20
"""Files of one import by the page: what can be looked through before it is done."""
RECURRING_MEMBERS = 3
"""Members who must have asked the same before staff are shown its words: of fewer it could be told who they are."""
RECURRING_DAYS = 90
"""Days back that questions are compared: what was asked by three in a quarter is asked again."""
RECURRING_MOST = 1000
"""The newest exchanges of a community that one night compares, each with each: seconds, not minutes."""
RECURRING_NEAR = 0.5
"""Centred cosine from which two questions are looked at more closely: below it none is the same (`COSINE_OF_SURE`)."""
ANSWER_BY_HAND = 20_000
"""Code points of what a moderator answers or writes as a passage: as long as the longest that a page shows."""
IMPORT_AT_ONCE = 300
"""Passages up to which an import, or its undo, is done while its page waits: a quarter of a second."""
IMPORT_READ_AT_ONCE = IMPORT_LIMIT
"""Code points of all its files up to which it is read, while the page waits, what an import would change: a second."""
IMPORT_SHOWN_AT_ONCE = 5_000
"""Passages up to which a page shows at once what would become of them; of more, file by file as it is looked at."""
IMPORT_SECONDS = 5
"""So long does the worker go on with imports before it looks after what else waits: one of the longest files takes as
much, and what is remembered of a chat comes in between."""
IMPORT_STEP_SECONDS = 600
"""Longest time that one step may take: all passages of twenty of the longest files put in their place."""
IMPORT_ATTEMPTS = 3
"""Times that one step of an import is begun: what has ended its worker so often would end it again."""
IMPORT_HOURS = 24
"""Hours that files wait for a decision after it was shown what they would change; then they go."""
IMPORTS_SHOWN = 10
"""Imports on one page, the newest: as many as were brought in some weeks."""
IMPORT_SHOWN = 200
"""Changes that the page of an import lists before it is done, and conflicts of each file; the rest is counted."""
REVIEW_PAGE = 20
"""What waits for a decision on one page: as much as one sitting takes, and as can be looked through at a glance."""
NEIGHBOURS = 8
"""Other memories of the same slot beside one that waits; more of them say nothing new."""
NOTES_SHOWN = 20
"""Last versions of the assistant's notes on a member's page."""
OVERVIEWS_SHOWN = 20
"""Overviews on a member's page: those of the last weeks."""
ANSWERS_SHOWN = 10
"""Last answers of which a member's page says what they used."""
PICTURE_THINGS = 8
"""Things in the picture of what belongs together, the most named: more of them write over each other."""
PICTURE_LETTERS = 12
"""Letters of a name in it; a Chinese one counts two."""
FIND_PAGE = 50
"""Memories, members or lines of the audit on one page for staff."""
SEARCHES_KEPT = 30
"""Saved finds of one member of the staff: as many as can be looked through."""
SEARCH_CHARACTERS = 2000
"""Code points of the address of one."""
AGED_DAYS = 60
"""Days unused after which what a machine wrote, and the weekly review has marked as weak, waits for a decision."""
QUEUE_DAYS = 7
"""Days that the oldest in the queue may wait before staff are reminded: the next weekly review brings more."""
QUEUE_LONG = 50
"""Waiting ones above which they are reminded too: more than one sitting takes."""
FIND_COUNT = 1000
"""Finds that are counted exactly; above it "more than" is said, so that a page costs the same at any size."""
LOOK_AGAIN_MINUTES = 60
"""While somebody works on one member's memories for one reason, their looks are one line of the audit in an hour."""
FIGURE_DAYS = 28
"""Days that the figures for staff show at first: four weeks, so that weekdays can be compared."""
FIGURE_RANGES = (7, 28, 90)
"""Days that can be chosen: a week, four of them, a quarter."""
STALE_DAYS = 7
"""Days within which a memory that an answer used must be corrected for that use to count as stale."""
EXPORT_LINES = 100_000
"""Lines of one export of the audit: a file that a spreadsheet still opens."""
EXPORT_DAYS = 7
"""Days for which the file of an export is kept: long enough to fetch it, short enough not to lie about."""
EXPORT_ATTEMPTS = 3
"""Times that an export is tried before it counts as failed."""
EXPORT_SECONDS = 1800
"""Longest time that an export may take; one that has run for longer has lost its worker and is begun again."""
