"""Dates in facts and requests: what was given, what is mentioned, and what relative words mean.

A grammar of our own, English and Simplified Chinese, on the standard library. Of the kept libraries,
dateparser takes too many words for dates and reads neither ranges nor Chinese parts of a day, and
none follows the paper's reference decisions. Patterns repeat only a bounded number of times, so
time is linear in the length of the text.

The readings chosen where language leaves a choice (weeks run from Monday to Sunday):

- a bare weekday, or "on Friday", is the next one, never the day of speaking; "coming Friday" too;
- "this Friday", 这周五: the Friday of the calendar week of speaking, even if past;
- "next Friday", 下周五: the Friday of the next calendar week; "last Friday", 上周五: of the one before;
- a bare weekday takes its week from its neighbour: "next Tuesday or Thursday", "Tuesday next week"; at the
  end of a range ("next Friday to Sunday") it is the first one after the beginning;
- a date in brackets after a day word ("tomorrow (March 20, 2026)") tells which day was meant;
- "this week" and "this month" are whole, "this weekend" is the Saturday and Sunday of the calendar week;
- "end of the month", 月底: its last day; "end of the week": Sunday;
- "the 14th", 14号: the first such day not before the day of speaking;
- "March 14", 3月14日: in the year of speaking; the next year if that is over half a year past, the year
  before if it is over ten months ahead;
- "tonight", "night", 今晚 and 晚上 are `night`; "this evening" and 傍晚 are `evening`;
- an hour without am or pm follows its part of the day; without one, spoken hours 1 to 6 are after noon and
  digits with a colon are as written; hours before five at night, and midnight, belong to the next day;
- a clock time that adjoins no day takes the nearest day of its sentence, else the last one named, else the
  day of speaking.

Not read, as they mean different days in different places: 3/14/2026, 14.03.2026. Not read, as they recur:
"every Friday", "Fridays", 每周五.
"""

from pace_graph.dates.absolute import days_in
from pace_graph.dates.given import Given, read_given
from pace_graph.dates.moment import Moment, Part
from pace_graph.dates.relative import resolve
from pace_graph.dates.rewrite import rewrite_dated
from pace_graph.dates.spelling import Language, is_chinese, spellings, weekday_name

__all__ = [
    "Given",
    "Language",
    "Moment",
    "Part",
    "days_in",
    "is_chinese",
    "read_given",
    "resolve",
    "rewrite_dated",
    "spellings",
    "weekday_name",
]
