import { describe, expect, test } from 'bun:test'
import {
  type AnnouncedPace,
  readAnnouncedPace,
} from '../../../infrastructure/mail/announced-pace.ts'

const RESEND = {
  'ratelimit-limit': '5',
  'ratelimit-policy': '5;w=1',
  'ratelimit-remaining': '0',
  'ratelimit-reset': '1',
}
const limit = (
  count: number,
  windowMs: number,
  retryAfterMs: number | null = null,
): AnnouncedPace => ({
  limit: { count, windowMs },
  retryAfterMs,
})
const SILENT: AnnouncedPace = { limit: null, retryAfterMs: null }

describe('the pace in the headers of an answer', () => {
  test.each<[string, Record<string, string>, AnnouncedPace]>([
    ['as Resend writes them', RESEND, limit(5, 1000, 1000)],
    ['of a 429', { ...RESEND, 'retry-after': '3' }, limit(5, 1000, 3000)],
    ['without a policy', { 'ratelimit-limit': '2' }, limit(2, 1000)],
    [
      'without a policy, in a longer window',
      { 'ratelimit-limit': '100', 'ratelimit-reset': '45' },
      limit(100, 45_000, 45_000),
    ],
    ['with the policy in the limit', { 'ratelimit-limit': '10, 10;w=60' }, limit(10, 60_000)],
    [
      'with several policies',
      { 'ratelimit-limit': '5', 'ratelimit-policy': '1000;w=3600, 5; w=2' },
      limit(5, 2000),
    ],
    [
      'of a reset that is near',
      { 'ratelimit-limit': '5', 'ratelimit-reset': '0' },
      limit(5, 1000, 0),
    ],
    ['of parts of a second', { 'retry-after': '0.5' }, { limit: null, retryAfterMs: 500 }],
    ['that are none', {}, SILENT],
    ['that allow nothing', { 'ratelimit-limit': '0' }, SILENT],
    ['that are no numbers', { 'ratelimit-limit': 'five', 'retry-after': '-1' }, SILENT],
    [
      'that are too large',
      { 'ratelimit-limit': '9'.repeat(10), 'retry-after': '9'.repeat(10) },
      SILENT,
    ],
    ['that name a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:00 GMT' }, SILENT],
  ])('%s', (_, headers, pace) => {
    expect(readAnnouncedPace(headers)).toEqual(pace)
  })
})
