import { expect, test } from 'bun:test'
import { OWN_WORDS, problemsOf } from '../../../support/content-folders.ts'

const slipsOf = (reasons: unknown[], strings = {}) =>
  problemsOf({
    'en.json': { reasons: ['A poem.', ...reasons], strings: { ...OWN_WORDS, ...strings } },
  })

test('known words, and words of one’s own that /app has a name for, are no slips', () => {
  const reasons = [
    { text: 'One of rain.', occasion: ['late', 'rainy-day'], to: 'work', tone: 'plain' },
    { text: 'Two of snow.', needs: ['car', 'umbrella'], sample: true },
  ]
  expect(slipsOf(reasons, { occasion_rainy_day: 'Rain' })).toEqual([])
})

test('a word without a name is told once, where it stands first', () => {
  const reasons = [
    { text: 'One of rain.', to: 'poets' },
    { text: 'Two of snow.', to: ['poets', 'critics'] },
  ]
  expect(slipsOf(reasons)).toEqual([
    expect.stringMatching(
      /^warning: en.json:\d+ \(en\): "strings" lacks to_poets: \/app says "poets" instead$/,
    ),
    expect.stringMatching(/"strings" lacks to_critics: \/app says "critics" instead$/),
  ])
})

test('a word that is nearly a known one is taken for that one', () => {
  const reasons = [{ text: 'One of rain.', to: 'freinds', needs: 'chlid', tone: 'plian' }]
  expect(slipsOf(reasons).map((line) => line.replace(/^.*\(en\): /, ''))).toEqual([
    'Alibi knows no "freinds" in "to": is "friends" meant?',
    'Alibi knows no "plian" in "tone": is "plain" meant?',
    'Alibi knows no "chlid" in "needs": is "child" meant?',
  ])
})

test('samples that are not shown are told', () => {
  const reasons = ['rain', 'snow', 'wind', 'hail', 'fog'].map((of) => ({
    text: `A poem about ${of}.`,
    sample: true,
  }))
  expect(slipsOf(reasons).filter((line) => line.includes('sample'))).toEqual([
    expect.stringContaining('more than 3 samples: only the first 3 are shown'),
  ])
})
