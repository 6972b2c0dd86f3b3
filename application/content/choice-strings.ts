import { entry } from './string-entry.ts'

const CHOICE_MAX = 24
const LABEL_MAX = 40
const SENTENCE_MAX = 100

/**
 * Three rows of buttons by which an excuse is chosen. A value of an operator's own has a string of the same kind, such
 * as `occasion_birthday`.
 */
export const CHOICE_STRINGS = {
  occasion_label: entry(LABEL_MAX, 'Label of a row of buttons: what the excuse is for'),
  occasion_any: entry(CHOICE_MAX, 'In that row: no choice'),
  occasion_decline: entry(CHOICE_MAX, 'In that row: declining an invitation or a request'),
  occasion_cancel: entry(
    CHOICE_MAX,
    'In that row: cancelling or postponing a plan that was agreed',
  ),
  occasion_late: entry(CHOICE_MAX, 'In that row: one will arrive (or hand in) late'),
  occasion_leave: entry(CHOICE_MAX, 'In that row: going before the end'),
  occasion_reply: entry(CHOICE_MAX, 'In that row: one answers a message late'),
  occasion_miss: entry(CHOICE_MAX, 'In that row: one was not there, and it is over'),
  to_label: entry(LABEL_MAX, 'Label of a row of buttons: who will read the excuse'),
  to_any: entry(CHOICE_MAX, 'In that row: no choice'),
  to_friends: entry(CHOICE_MAX, 'In that row'),
  to_family: entry(CHOICE_MAX, 'In that row'),
  to_work: entry(CHOICE_MAX, 'In that row: boss, colleagues, clients, teachers, authorities'),
  to_date: entry(CHOICE_MAX, 'In that row: somebody one is seeing romantically'),
  tone_label: entry(LABEL_MAX, 'Label of a row of buttons: the tone'),
  tone_any: entry(CHOICE_MAX, 'In that row: no choice'),
  tone_plain: entry(CHOICE_MAX, 'In that row: simple and honest'),
  tone_playful: entry(CHOICE_MAX, 'In that row: makes the reader smile'),
  tone_formal: entry(CHOICE_MAX, 'In that row: courteous, as in a letter', { isShared: true }),
  length_short: entry(
    CHOICE_MAX,
    'In the same row, but switched on and off by itself: at most 60 characters',
  ),
  choice_widened: entry(
    SENTENCE_MAX,
    'Below an excuse, where no excuse matches everything that was chosen',
  ),
} as const
