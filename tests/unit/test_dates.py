"""Dates, worked out by hand. March 2026: the 16th is a Monday, the 20th a Friday."""

import contextlib
import time as clock
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pace_graph.dates import (
    Language,
    Moment,
    days_in,
    is_chinese,
    read_given,
    resolve,
    rewrite_dated,
    spellings,
    weekday_name,
)

FRIDAY = date(2026, 3, 20)
LANGUAGES: tuple[Language, ...] = ("en", "zh")
BITS = [
    "tomorrow", "tonight", "next Tuesday", "Friday", "on Sat", "the 14th", "March 14", "14–16 March 2026",
    "at 7 pm", "from", "to", "and", "(", ")", ",", ".", " ", "\n", "this weekend", "a week from",
    "midnight", "half past six", "明天", "今晚", "下周二", "周五", "至", "到", "，", "（", "）", "3月14日",
    "14号", "晚上", "七点半", "19:30", "月底", "2026-03-14", "2026年3月14日", "March 14, 2026", "ſunday",
    "İn", "９", "\x00",
]  # fmt: skip
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(BITS), max_size=12).map("".join),
                  st.lists(st.sampled_from(BITS), max_size=12).map(" ".join))  # fmt: skip


def day(text: str) -> date:
    return date.fromisoformat(text)


def only(text: str, ref: date = FRIDAY) -> Moment:
    (moment,) = resolve(text, ref)
    return moment


# --- read_given


@pytest.mark.parametrize(
    ("value", "local", "instant", "naive"),
    [
        ("2026-03-01T09:00:00", "2026-03-01", datetime(2026, 3, 1, 9, tzinfo=UTC), True),
        ("2026-03-01T09:00:00+08:00", "2026-03-01", datetime(2026, 3, 1, 1, tzinfo=UTC), False),
        ("2026-03-01T01:00:00Z", "2026-03-01", datetime(2026, 3, 1, 1, tzinfo=UTC), False),
        ("2026-03-01", "2026-03-01", datetime(2026, 3, 1, tzinfo=UTC), True),
        ("2026-03-29T02:30:00[Europe/Berlin]", "2026-03-29", datetime(2026, 3, 29, 1, 30, tzinfo=UTC), False),
        ("2026-03-01T02:00+08:00", "2026-03-01", datetime(2026, 2, 28, 18, tzinfo=UTC), False),
        ("2026-03-01 09:00", "2026-03-01", datetime(2026, 3, 1, 9, tzinfo=UTC), True),
        ("2026-03-01T09:00:00.123456789Z", "2026-03-01", datetime(2026, 3, 1, 9, 0, 0, 123456, UTC), False),
        # 02:30 on 25 October comes twice in Berlin: first in summer time, then in winter time.
        (
            "2026-10-25T02:30:00[Europe/Berlin]",
            "2026-10-25",
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
            False,
        ),
        (
            "2026-10-25T02:30:00+01:00[Europe/Berlin]",
            "2026-10-25",
            datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
            False,
        ),
        # Samoa had no 30 December 2011.
        ("2011-12-30T12:00:00[Pacific/Apia]", "2011-12-31", datetime(2011, 12, 30, 22, tzinfo=UTC), False),
    ],
)
def test_given_dates_have_a_day_and_an_instant(value, local, instant, naive):
    found = read_given(value)
    assert (found.text, found.day, found.instant, found.naive) == (value, day(local), instant, naive)
    assert found.instant.tzinfo is UTC


def test_the_zone_of_the_world_is_for_naive_values_alone():
    assert read_given("2026-03-01", "Asia/Shanghai").instant == datetime(2026, 2, 28, 16, tzinfo=UTC)
    assert read_given("2026-03-01", "Asia/Shanghai").day == date(2026, 3, 1)
    assert read_given("2026-03-01T01:00:00Z", "Asia/Shanghai").instant == datetime(2026, 3, 1, 1, tzinfo=UTC)


def test_case_a10_has_an_order():
    values = ["2026-03-01T09:00:00", "2026-03-01T09:00:00+08:00", "2026-03-01T01:00:00Z", "2026-03-01",
              "2026-03-29T02:30:00[Europe/Berlin]"]  # fmt: skip
    found = [read_given(value) for value in values]
    assert found[1].instant == found[2].instant
    assert [values.index(each.text) for each in sorted(found, key=lambda each: each.instant)] == [
        3,
        1,
        2,
        0,
        4,
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("not a date", "not an ISO date"),
        ("", "not an ISO date"),
        ("2026-3-1", "not an ISO date"),
        ("20260301", "not an ISO date"),
        ("2026-03-01\n", "not an ISO date"),
        ("２０２６-03-01", "not an ISO date"),
        ("2026-03-01[Europe/Berlin]", "not an ISO date"),
        ("2026-02-30", "day"),
        ("2026-13-01", "month"),
        ("2026-03-01T24:00:00", "hour"),
        ("2026-03-01T09:60:00", "minute"),
        ("2026-03-01T09:00:00+25:00", "offset"),
        ("2026-03-01T09:00:00+01:75", "offset"),
        ("2026-03-01T09:00:00[Mars/Base]", "unknown time zone 'Mars/Base'"),
        ("2026-03-01T09:00:00[../etc/passwd]", "unknown time zone"),
        ("2026-03-01T09:00:00[Europe]", "unknown time zone"),
        ("2026-03-01T09:00:00+05:00[Europe/Berlin]", "does not use that offset"),
        ("0001-01-01T00:00:00+10:00", "years 1 to 9999"),
        ("0000-01-01", "year"),
    ],
)
def test_what_is_no_date_is_refused_with_its_reason(value, reason):
    with pytest.raises(ValueError, match=reason):
        read_given(value)


def test_an_unknown_zone_of_the_world_is_refused():
    with pytest.raises(ValueError, match="unknown time zone 'Nowhere'"):
        read_given("2026-03-01", "Nowhere")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_given_raises_nothing_but_value_errors(value):
    with contextlib.suppress(ValueError):
        assert read_given(value).text == value


@settings(deadline=None)
@given(st.datetimes())
def test_given_reads_back_what_isoformat_writes(moment):
    assert read_given(moment.isoformat()).instant == moment.replace(tzinfo=UTC)


# --- days_in


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("closed on 2026-03-14.", ["2026-03-14"]),
        ("closed on 2026/3/14", ["2026-03-14"]),
        ("from 2026-03-14T09:00:00Z", ["2026-03-14"]),
        ("14 March 2026", ["2026-03-14"]),
        ("the 14th of March 2026", ["2026-03-14"]),
        ("Saturday, 14 March 2026, 9:00", ["2026-03-14"]),
        ("on March 14, 2026, at", ["2026-03-14"]),
        ("MARCH 14 2026", ["2026-03-14"]),
        ("Mar 14th, 2026", ["2026-03-14"]),
        ("Sept. 5, 2026", ["2026-09-05"]),
        ("14-Mar-2026", ["2026-03-14"]),
        ("2026年3月14日", ["2026-03-14"]),
        ("他于2026年3月14号去了", ["2026-03-14"]),
        ("２０２６年３月１４日", ["2026-03-14"]),
        ("二〇二六年十二月二十五日", ["2026-12-25"]),
        ("14–16 March 2026", ["2026-03-14", "2026-03-15", "2026-03-16"]),
        ("March 14 to 16, 2026", ["2026-03-14", "2026-03-15", "2026-03-16"]),
        ("2026-03-14 to 2026-03-16", ["2026-03-14", "2026-03-15", "2026-03-16"]),
        ("from March 30 to April 2, 2026", ["2026-03-30", "2026-03-31", "2026-04-01", "2026-04-02"]),
        ("2026年3月14日至16日", ["2026-03-14", "2026-03-15", "2026-03-16"]),
        ("2026年12月31日至1月2日", ["2026-12-31", "2027-01-01", "2027-01-02"]),
        ("December 31 to January 1, 2027", ["2026-12-31", "2027-01-01"]),
        ("between 14 March 2026 and 16 March 2026", ["2026-03-14", "2026-03-15", "2026-03-16"]),
        ("14 March 2026 and 16 March 2026", ["2026-03-14", "2026-03-16"]),
        ("March 14, 16 and 18, 2026", ["2026-03-14", "2026-03-16", "2026-03-18"]),
        ("moved from March 14, 2026 to March 16, 2026", ["2026-03-14", "2026-03-16"]),
        ("2026-01-01 to 2026-12-31", ["2026-01-01", "2026-12-31"]),
        ("2026-03-16 to 2026-03-14", ["2026-03-16", "2026-03-14"]),
        ("2026-05-01, 2026-04-01, 2026-05-01", ["2026-05-01", "2026-04-01"]),
        ("February 28 to 30, 2026", ["2026-02-28"]),
        ("2026-02-30, 31 April 2026, 2026年13月1日, February 29, 2026", []),
        ("March 14, tomorrow, 3月14日, 14 May", []),
        ("3/14/2026 14.03.2026 12026-03-14 2026-03-145 a2026-03-14", []),
        ("农历2026年三月三日", []),
        ("March 2026, 2026年3月, in 2026", []),
    ],
)
def test_full_dates_are_found(text, days):
    assert days_in(text) == tuple(map(day, days))


def test_ranges_are_spelled_out_up_to_62_days():
    assert len(days_in("2026-03-01 to 2026-05-01")) == 62
    assert days_in("2026-03-01 to 2026-05-02") == (date(2026, 3, 1), date(2026, 5, 2))


@settings(deadline=None)
@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)), st.sampled_from(LANGUAGES))
def test_every_spelling_is_read_back(when, language):
    for spelling in spellings(when, language):
        assert days_in(spelling) == (when,)
        assert days_in(f"It is ({spelling}), 在{spelling}。") == (when,)


@settings(deadline=None)
@given(texts)
def test_days_in_raises_never(text):
    days = days_in(text)
    assert len(set(days)) == len(days)


@pytest.mark.parametrize(
    "unit",
    [
        "1 ", "March 1, ", "March 1 and ", "1, 1 and ", "14日至", "一月一日、", "Friday to ", "周六明天",
        "tomorrow, ", " ", "a week from ", "moved from ", "2026-03-14 to ", ") (", "今晚凌晨", "7 to ",
    ],
)  # fmt: skip
def test_time_grows_with_the_length_and_no_faster(unit):
    text = (unit * 30_000)[:30_000]
    began = clock.process_time()
    days_in(text)
    resolve(text, FRIDAY)
    # About 0.2 s; a pattern that tries again from every place takes minutes.
    assert clock.process_time() - began < 3


# --- resolve


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "03-20", None),
        ("later today", "03-20", None),
        ("right now", "03-20", None),
        ("tomorrow", "03-21", None),
        ("the day after tomorrow", "03-22", None),
        ("yesterday", "03-19", None),
        ("Wednesday", "03-25", None),
        ("on Wednesday", "03-25", None),
        ("on Friday", "03-27", None),
        ("on Sat", "03-21", None),
        ("this Wednesday", "03-18", None),
        ("this Friday", "03-20", None),
        ("this Sunday", "03-22", None),
        ("next Tuesday", "03-24", None),
        ("next Friday", "03-27", None),
        ("next Sunday", "03-29", None),
        ("coming Friday", "03-27", None),
        ("this coming Saturday", "03-21", None),
        ("last Friday", "03-13", None),
        ("Tuesday next week", "03-24", None),
        ("this week", "03-16", "03-22"),
        ("next week", "03-23", "03-29"),
        ("this weekend", "03-21", "03-22"),
        ("next weekend", "03-28", "03-29"),
        ("next month", "04-01", "04-30"),
        ("in three days", "03-23", None),
        ("in two weeks", "04-03", None),
        ("a week from Tuesday", "03-31", None),
        ("two days before the 25th", "03-23", None),
        ("end of the month", "03-31", None),
        ("the 14th", "04-14", None),
        ("the 20th", "03-20", None),
        ("the 31st", "03-31", None),
        ("March 14", "03-14", None),
        ("14 March", "03-14", None),
        ("December 30", "12-30", None),
        ("on may 5", "05-05", None),
        ("March 30 to April 2", "03-30", "04-02"),
        ("from Friday to Sunday", "03-27", "03-29"),
        ("今天", "03-20", None),
        ("明天", "03-21", None),
        ("后天", "03-22", None),
        ("大后天", "03-23", None),
        ("昨天", "03-19", None),
        ("周六", "03-21", None),
        ("星期六", "03-21", None),
        ("礼拜天", "03-22", None),
        ("周五", "03-27", None),
        ("这周三", "03-18", None),
        ("这周六", "03-21", None),
        ("本周五", "03-20", None),
        ("下周二", "03-24", None),
        ("下个星期日", "03-29", None),
        ("下下周一", "03-30", None),
        ("这个周末", "03-21", "03-22"),
        ("周末", "03-21", "03-22"),
        ("下周末", "03-28", "03-29"),
        ("下周", "03-23", "03-29"),
        ("下个月", "04-01", "04-30"),
        ("月底", "03-31", None),
        ("三天后", "03-23", None),
        ("两周后", "04-03", None),
        ("一个月后", "04-20", None),
        ("3月14日", "03-14", None),
        ("十四号", "04-14", None),
        ("14号", "04-14", None),
        ("下个月3号", "04-03", None),
        ("周五到周日", "03-27", "03-29"),
        ("他说明天去", "03-21", None),
        ("三天后天气", "03-23", None),
    ],
)
def test_day_expressions_spoken_on_a_friday(text, start, end):
    moment = only(text)
    assert moment.start == day(f"2026-{start}")
    assert moment.end == day(f"2026-{end or start}")
    assert (moment.part, moment.clock, moment.relative) == (None, None, True)


@pytest.mark.parametrize(
    ("text", "start", "part", "at"),
    [
        ("this morning", "03-20", "morning", None),
        ("this afternoon", "03-20", "afternoon", None),
        ("this evening", "03-20", "evening", None),
        ("tonight", "03-20", "night", None),
        ("tomorrow evening", "03-21", "evening", None),
        ("Friday night", "03-27", "night", None),
        ("the evening of March 25", "03-25", "evening", None),
        ("tonight at 6 PM", "03-20", "night", time(18)),
        ("tomorrow at 7 pm", "03-21", None, time(19)),
        ("7 p.m. tomorrow", "03-21", None, time(19)),
        ("6:30 AM on Monday", "03-23", None, time(6, 30)),
        ("tomorrow at 19:30", "03-21", None, time(19, 30)),
        ("tomorrow at noon", "03-21", "noon", time(12)),
        ("12 am tomorrow", "03-21", None, time(0)),
        ("12 pm tomorrow", "03-21", None, time(12)),
        ("half past six on Monday", "03-23", None, time(18, 30)),
        ("quarter to eight tomorrow morning", "03-21", "morning", time(7, 45)),
        ("at 7 in the morning tomorrow", "03-21", "morning", time(7)),
        ("from 2 to 4 pm on Monday", "03-23", None, time(14)),
        ("11 to 2 pm tomorrow", "03-21", None, time(11)),
        ("tonight at 8", "03-20", "night", time(20)),
        ("tonight at midnight", "03-21", "night", time(0)),
        ("tomorrow night at 1 am", "03-22", "night", time(1)),
        ("Remind me at 7 pm", "03-20", None, time(19)),
        ("今晚", "03-20", "night", None),
        ("今早", "03-20", "morning", None),
        ("今天下午", "03-20", "afternoon", None),
        ("明晚七点半", "03-21", "night", time(19, 30)),
        ("明早8点05分", "03-21", "morning", time(8, 5)),
        ("周六晚", "03-21", "night", None),
        ("后天中午12点", "03-22", "noon", time(12)),
        ("明天下午3点", "03-21", "afternoon", time(15)),
        ("下午三点到五点", "03-20", "afternoon", time(15)),
        ("傍晚六点", "03-20", "evening", time(18)),
        ("明天上午十点一刻", "03-21", "morning", time(10, 15)),
        ("明天19:30", "03-21", None, time(19, 30)),
        ("今晚12点", "03-21", "night", time(0)),
        ("今晚凌晨1点", "03-21", "night", time(1)),
        ("3月14日（周六）晚上八点", "03-14", "night", time(20)),
    ],
)
def test_parts_of_the_day_and_clock_times(text, start, part, at):
    moment = only(text)
    assert (moment.start, moment.end) == (day(f"2026-{start}"),) * 2
    assert (moment.part, moment.clock) == (part, at)


@pytest.mark.parametrize(
    "text",
    [
        "you may march past the second gate", "she sat down", "sun cream in the sun", "we wed last",
        "May I?", "second", "every Friday", "on Fridays", "each Monday morning", "Good Friday",
        "last Friday of the month", "USA Today", "the 14th floor", "the 14th century", "came in the 4th",
        "march 5 miles", "at 6 Main Street", "at one point", "now that it rains", "from now on", "for now",
        "good evening", "in a day", "twice in two weeks", "ratio 3:1", "14 may come", "一天天", "日常",
        "每周五", "每个周末", "一周三次", "两周一次", "昆明天气", "说明天数", "先天后天", "早一点",
        "3点建议", "三点五公里", "14号楼", "中山路14号", "地铁3号线", "三天前往", "下午好", "周日常规",
        "今日头条", "农历三月三日", "2月30日", "the 32nd", "3/14/2026",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_left_alone(text):
    assert resolve(text, FRIDAY) == ()
    assert rewrite_dated(text, FRIDAY) == text


def test_the_reference_decisions_of_the_paper():
    assert only("Book a table for this Wednesday").is_past(FRIDAY)
    assert not only("Book a table for this weekend").is_past(FRIDAY)
    tonight = only("Book a table tonight at 6 PM")
    assert tonight.is_past(FRIDAY, time(19))
    assert not tonight.is_past(FRIDAY, time(18))
    assert not tonight.is_past(FRIDAY)
    assert only("今晚六点").is_past(FRIDAY, time(19))
    assert only("本周三").is_past(FRIDAY)


def test_parts_of_the_day_are_past_when_they_end():
    assert only("this morning").is_past(FRIDAY, time(12))
    assert not only("this morning").is_past(FRIDAY, time(11, 59))
    assert only("this afternoon").is_past(FRIDAY, time(18))
    assert not only("tonight").is_past(FRIDAY, time(23, 59))
    assert not only("today").is_past(FRIDAY, time(23, 59))
    assert not only("tonight at midnight").is_past(FRIDAY, time(23))
    assert only("2026-03-19 at 23:00").is_past(FRIDAY, time(1))
    assert not only("2026-03-21 at 08:00").is_past(FRIDAY, time(9))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("next Tuesday or Thursday", ["03-24", "03-26"]),
        ("下周二、周四", ["03-24", "03-26"]),
        ("Saturday and Sunday", ["03-21", "03-22"]),
        ("Sunday or Saturday", ["03-22", "03-21"]),
        ("this Wednesday or next Wednesday", ["03-18", "03-25"]),
        ("On Monday, book a table for 7 pm", ["03-23", "03-23"]),
        ("At 7 pm I want to eat, on Monday", ["03-23", "03-23"]),
        ("I'm free on Monday. At 7 pm I want to eat, on Tuesday", ["03-23", "03-24", "03-24"]),
        ("I'm free on Monday. Let's meet at 7 pm.", ["03-23", "03-23"]),
        ("明天去西湖，晚上七点吃饭", ["03-21", "03-21"]),
    ],
)
def test_neighbours_heed_each_other(text, days):
    assert [moment.start for moment in resolve(text, FRIDAY)] == [day(f"2026-{each}") for each in days]


@pytest.mark.parametrize(
    ("text", "ref", "start"),
    [
        ("January 5", "2026-12-20", "2027-01-05"),
        ("December 30", "2026-01-03", "2025-12-30"),
        ("December 30", "2026-03-20", "2026-12-30"),
        ("1月5日", "2026-12-20", "2027-01-05"),
        ("February 29", "2026-03-20", "2028-02-29"),
        ("去年3月14日", "2026-03-20", "2025-03-14"),
        ("the 31st", "2026-04-01", "2026-05-31"),
        ("the 14th", "2026-12-20", "2027-01-14"),
        ("next month", "2026-12-20", "2027-01-01"),
        ("in one month", "2026-01-31", "2026-02-28"),
        ("next Monday", "2026-03-22", "2026-03-23"),
        ("this Monday", "2026-03-22", "2026-03-16"),
        ("on Monday", "2026-03-16", "2026-03-23"),
        ("this weekend", "2026-03-22", "2026-03-21"),
        ("Friday the 13th", "2026-03-09", "2026-03-13"),
        ("tomorrow, Friday", "2026-03-19", "2026-03-20"),
        ("today, Friday", "2026-03-20", "2026-03-20"),
        ("tomorrow (March 20, 2026)", "2026-03-01", "2026-03-20"),
    ],
)
def test_other_days_of_speaking(text, ref, start):
    assert only(text, day(ref)).start == day(start)


def test_a_full_date_is_not_relative():
    moment = only("Book for Saturday, 14 March 2026 at 7 pm")
    assert moment == Moment(
        "Saturday, 14 March 2026 at 7 pm",
        (9, 40),
        date(2026, 3, 14),
        date(2026, 3, 14),
        None,
        time(19),
        relative=False,
    )


@settings(deadline=None)
@given(texts, st.one_of(st.dates(), st.sampled_from([date.min, date.max, FRIDAY])))
def test_resolve_raises_never_and_its_spans_match(text, ref):
    end = 0
    for moment in resolve(text, ref):
        assert moment.text == text[slice(*moment.span)]
        assert end <= moment.span[0] < moment.span[1]
        assert moment.start <= moment.end
        end = moment.span[1]


@settings(deadline=None)
@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 1, 1)), st.integers(0, 6))
def test_weekdays_fall_where_they_are_said_to(ref, weekday):
    monday = ref - timedelta(ref.weekday())
    name, char = weekday_name(monday + timedelta(weekday), "en"), "一二三四五六日"[weekday]
    for words, chinese, first in (("this", "这周", 0), ("next", "下周", 7), ("last", "上周", -7)):
        meant = monday + timedelta(first + weekday)
        assert only(f"{words} {name}", ref).start == only(chinese + char, ref).start == meant
    bare = only(name, ref).start
    assert bare == only(f"周{char}", ref).start
    assert bare.weekday() == weekday
    assert timedelta(0) < bare - ref <= timedelta(7)


# --- rewrite_dated


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("See you tomorrow.", "See you tomorrow (Saturday, March 21, 2026)."),
        ("Tomorrow at 7 pm", "Tomorrow (Saturday, March 21, 2026) at 7 pm"),
        ("tomorrow evening at 7", "tomorrow evening (Saturday, March 21, 2026) at 7"),
        ("tonight at midnight", "tonight (Friday, March 20, 2026) at midnight"),
        ("on Friday", "on Friday (March 27, 2026)"),
        ("this weekend?", "this weekend (Saturday, March 21, 2026 to Sunday, March 22, 2026)?"),
        ("on 14 March 2026 at 7 pm", "on 14 March 2026 at 7 pm"),
        ("at 7 pm", "at 7 pm"),
        ("明天去", "明天（2026年3月21日）去"),
        ("今晚七点半订位", "今晚（2026年3月20日）七点半订位"),
        ("明天晚上七点", "明天晚上（2026年3月21日）七点"),
        ("下周末见", "下周末（2026年3月28日至2026年3月29日）见"),
        (
            "明天和 Tom 见面, then on Monday",
            "明天（2026年3月21日）和 Tom 见面, then on Monday (March 23, 2026)",
        ),
    ],
)
def test_the_date_is_written_beside_relative_words(text, rewritten):
    assert rewrite_dated(text, FRIDAY) == rewritten
    assert rewrite_dated(rewritten, FRIDAY) == rewritten


@settings(deadline=None)
@given(texts)
def test_rewriting_only_adds(text):
    rest = iter(rewrite_dated(text, FRIDAY))
    assert all(char in rest for char in text)


@settings(deadline=None)
@given(
    st.sampled_from([
        "tomorrow", "Friday", "from Friday to Sunday", "next Tuesday or Thursday", "March 14 and 16",
        "the 14th", "this weekend", "下周二、周四", "3月14日和16日", "周五到周日", "今晚七点",
    ]),
    st.dates(min_value=date(2020, 1, 1), max_value=date(2030, 1, 1)),
)  # fmt: skip
def test_rewriting_twice_is_rewriting_once(text, ref):
    once = rewrite_dated(f"{text} for lunch", ref)
    assert once != f"{text} for lunch"
    assert rewrite_dated(once, ref) == once


# --- spellings


def test_spellings():
    assert spellings(FRIDAY, "en") == (
        "2026-03-20", "March 20, 2026", "20 March 2026", "Friday, March 20, 2026", "Friday, 20 March 2026",
        "Mar 20, 2026",
    )  # fmt: skip
    assert spellings(FRIDAY, "zh") == (
        "2026-03-20", "2026年3月20日", "2026年3月20日星期五",
        "2026年3月20日（星期五）", "2026年3月20号", "2026/3/20",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("明天去西湖", True),
        ("See you", False),
        ("", False),
        ("123 。", False),
        ("我和Tom去看电影", True),
        ("Tom said 好", False),
    ],
)
def test_is_chinese(text, chinese):
    assert is_chinese(text) is chinese
