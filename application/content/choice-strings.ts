import type { StringEntry } from './string-entry.ts'

const CHOICE_MAX = 24
const LABEL_MAX = 40
const SENTENCE_MAX = 100

/**
 * Three rows of buttons by which an excuse is chosen. A value of an operator's own has a string of the same kind, such
 * as `occasion_birthday`.
 */
export const CHOICE_STRINGS = {
  occasion_label: {
    meaning: 'Label of a row of buttons: what the excuse is for',
    lengthMax: LABEL_MAX,
  },
  occasion_any: { meaning: 'In that row: no choice', lengthMax: CHOICE_MAX },
  occasion_decline: {
    meaning: 'In that row: declining an invitation or a request',
    lengthMax: CHOICE_MAX,
  },
  occasion_cancel: {
    meaning: 'In that row: cancelling or postponing a plan that was agreed',
    lengthMax: CHOICE_MAX,
  },
  occasion_late: {
    meaning: 'In that row: one will arrive (or hand in) late',
    lengthMax: CHOICE_MAX,
  },
  occasion_leave: { meaning: 'In that row: going before the end', lengthMax: CHOICE_MAX },
  occasion_reply: { meaning: 'In that row: one answers a message late', lengthMax: CHOICE_MAX },
  occasion_miss: {
    meaning: 'In that row: one was not there, and it is over',
    lengthMax: CHOICE_MAX,
  },
  to_label: {
    meaning: 'Label of a row of buttons: who will read the excuse',
    lengthMax: LABEL_MAX,
  },
  to_any: { meaning: 'In that row: no choice', lengthMax: CHOICE_MAX },
  to_friends: { meaning: 'In that row', lengthMax: CHOICE_MAX },
  to_family: { meaning: 'In that row', lengthMax: CHOICE_MAX },
  to_work: {
    meaning: 'In that row: boss, colleagues, clients, teachers, authorities',
    lengthMax: CHOICE_MAX,
  },
  to_date: { meaning: 'In that row: somebody one is seeing romantically', lengthMax: CHOICE_MAX },
  tone_label: { meaning: 'Label of a row of buttons: the tone', lengthMax: LABEL_MAX },
  tone_any: { meaning: 'In that row: no choice', lengthMax: CHOICE_MAX },
  tone_plain: { meaning: 'In that row: simple and honest', lengthMax: CHOICE_MAX },
  tone_playful: { meaning: 'In that row: makes the reader smile', lengthMax: CHOICE_MAX },
  tone_formal: {
    meaning: 'In that row: courteous, as in a letter',
    lengthMax: CHOICE_MAX,
    isShared: true,
  },
  length_short: {
    meaning: 'In the same row, but switched on and off by itself: at most 60 characters',
    lengthMax: CHOICE_MAX,
  },
  choice_widened: {
    meaning: 'Below an excuse, where no excuse matches everything that was chosen',
    lengthMax: SENTENCE_MAX,
  },
} as const satisfies Record<string, StringEntry>
