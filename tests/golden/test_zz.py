import json
from assistant.llm import embedding
from memory.retrieval.text import query_terms, terms, coverage, normal
from memory.retrieval.details import differ
import numpy as np
def test_it(world):
    P=json.load(open("/tmp/x/m/memory/golden/asked.json"))
    X=[("怎么申请退款？","怎么申请报销？"),("How do I book the meeting room?","How do I cancel the meeting room?"),("怎么报名活动","怎么取消报名活动"),("活动室可以借吗","会议室可以借吗"),("Where can I park my car?","Where can I park my bike?"),("How do I open an account?","How do I close an account?"),("什么时候开门","什么时候关门"),("怎么加入社区","怎么退出社区"),("How do I join the club?","How do I leave the club?"),("会费怎么交","押金怎么交"),("What is the membership fee?","What is the late fee?"),("谁负责网站","谁负责食堂"),("Who runs the newsletter?","Who runs the kitchen?"),("可以带狗吗","可以带孩子吗"),("Can I bring my dog?","Can I bring my kids?")]
    allp=[(p["earlier"],p["later"],p["same"]) for p in P]+[(a,b,None) for a,b in X]
    a=np.array(embedding.passages([x[0] for x in allp]).rows); b=np.array(embedding.query([x[1] for x in allp]).rows)
    for (x,y,s),u,v in zip(allp,a,b):
        q,t=set(query_terms(y)),set(terms(x))
        print(s, round(float(u@v),3), "q>t",round(coverage(query_terms(y),terms(x)),2),"t>q",round(coverage(query_terms(x),terms(y)),2), differ(x,y), x,"|",y, "-", q-t, t-q)
