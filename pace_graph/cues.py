"""What makes a fact weigh in a decision, told without a model.

PACE defines its conflicts by what they rest on: time that is short, spans and appointments (temporal); health, duties and
firm limits of a person (personal); announced conditions and rules of places and services (state); see the paper's
definitions of situation types, and the filter's order of priorities (constraints first). The patterns below spell those
definitions out, in English and Chinese, kind by kind. They name no person, place or thing of any world.
"""

from __future__ import annotations

import re
from functools import cache

MOST = 4
"""Kinds beyond this many add nothing: a fact is not the more decisive for being long."""

_ENGLISH = {
    "span": r"\b(?:\d+|one|two|three|four|five|six|eight|ten|twelve|half an|an|a)[- ](?:minutes?|hours?|days?|weeks?|months?)\b"
    r"|\bhalf an hour\b",
    "clock": r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:am|pm|a\.m\.|p\.m\.)(?!\w)|\bnoon\b|\bmidnight\b",
    "window": r"\b(?:until|till|between|from|through|during|starts?|begins?|ends?|finish(?:es)?|opens?|closes?|by|before|after"
    r"|ahead of|every|each|weekdays|weekly|nightly|daily)\b",
    "limit": r"\b(?:only|must|requires?|required|requirement|limits?|limited|restrict\w*|maximum|minimum|at most|at least"
    r"|no more than|not|no|never|without|cannot|may not|forbid\w*|forbidden|bans?|banned|bars?|barred|exclud\w*|avoid\w*"
    r"|refus\w*|declin\w*|prohibit\w*|mandatory|needs?|has to|have to|calls? for|asks? for|allow\w*|permit\w*|capacity"
    r"|rated)\b",
    "notice": r"\b(?:notices?|announc\w*|posted|advisory|advisories|policy|policies|rules?|regulations?|guidelines?"
    r"|instructions?|manual|label|bulletin|terms|conditions of|according to|states?|works|replacement|maintenance|repairs?"
    r"|construction|roadworks?|diver\w+|detours?|outages?|clos(?:ed|ure)|suspend\w*|reduced|disrupt\w*)\b",
    "health": r"\b(?:diagnos\w*|allerg\w*|intoleran\w*|asthma\w*|disease|disorder|syndrome|surgery|surgeon|medicat\w*"
    r"|medicine|dose|therap\w*|doctor|physician|clinic|hospital|prescri\w*|wheelchair|pregnan\w*|symptoms?|injur\w*|pain"
    r"|recover\w*|treatment|hearing|vision|sleep|diet\w*|c(?:o)?eliac|diabet\w*|triggers?|sensitiv\w*)\b",
    "duty": r"\b(?:agreed|promis\w*|committ\w*|appointment|booked|reserv\w*|scheduled|shifts?|duty|duties|on call|picks? up"
    r"|collects?|due|deadline|vow\w*|swore|pledg\w*|asked|responsible|looks after|cares? for|looking after|arranged"
    r"|confirmed)\b",
    "travel": r"\b(?:takes|drive|drives|ride|walk|bus|train|tram|ferry|flight|route|journey|travel\w*|commute|miles?"
    r"|kilomet\w+|km)\b",
    "measure": r"\b\d+(?:\.\d+)?\s?(?:kg|g|cm|mm|m|km|°c|°f|%|percent|watts?|kw|w|lit(?:re|er)s?|pounds?|lbs?|feet|foot"
    r"|inch(?:es)?|decibels?|db|ml|mg|seats?|places?|people|guests)\b",
}
_CHINESE = {
    "span": r"[\d一二两三四五六七八九十半几]+\s?个?(?:分钟|小时|钟头|天|周|星期|个月)",
    "clock": r"\d{1,2}[:：]\d{2}|[\d一二三四五六七八九十两]+点",
    "window": r"至|到|起|止|截止|之前|以前|之后|以后|期间|开始|结束|开门|关门|每天|每周|每晚|每次|工作日|内",
    "limit": r"只|仅|必须|须|要求|需|限|不得|不能|不可|不许|不让|不|禁止|避免|最多|最少|至少|不超过|以上|以下|以内|拒绝|谢绝"
    r"|忌|方可|才|允许|准|上限|额定|承重|容量",
    "notice": r"通知|公告|告示|公示|须知|规定|规则|守则|条例|说明书|手册|标签|写明|注明|贴出|发布|检修|施工|维修|改造|停水"
    r"|停电|停气|停运|绕行|封闭|暂停|关闭|管控|调整|更换",
    "health": r"过敏|诊断|确诊|医生|医院|门诊|手术|药|复查|复诊|哮喘|糖尿|病|症|疼|痛|伤|孕|忌口|饮食|康复|治疗|轮椅|听力"
    r"|视力|睡眠|敏感|术后",
    "duty": r"约定|答应|承诺|说定|预约|订|排班|值班|夜班|白班|接|送|安排|排在|立誓|发誓|请|托|照顾|负责|定于|计划|报名|截稿"
    r"|交",
    "travel": r"车程|公交|地铁|开车|步行|骑车|高铁|航班|路程|公里|抵达|到达|出发|路线|换乘",
    "measure": r"\d+(?:\.\d+)?\s?(?:公斤|千克|克|斤|厘米|毫米|米|公里|度|℃|瓦|千瓦|升|毫升|毫克|分贝|人|位|座|%)",
}
_KINDS = {kind: re.compile(f"(?:{_ENGLISH[kind]})|(?:{_CHINESE[kind]})", re.IGNORECASE) for kind in _ENGLISH}


@cache
def kinds(text: str) -> frozenset[str]:
    """The kinds of constraint that a fact speaks of."""
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def weight(text: str) -> int:
    """How many kinds of constraint a fact speaks of, 0 to MOST."""
    return min(MOST, len(kinds(text)))
