import { expect, test } from 'bun:test'
import { openMetrics } from '../../support/open-metrics.ts'

const STATE = { open: 7, idle: 3, waiting: 2, max: 10 }

test('the connections to a PostgreSQL are told as they are at each reading', async () => {
  let state = STATE
  const { samples } = await openMetrics({ poolState: () => state })
  expect(await samples()).toMatchObject({
    'alibi_postgres_connections{state="busy"}': 4,
    'alibi_postgres_connections{state="idle"}': 3,
    alibi_postgres_connections_max: 10,
    alibi_postgres_connection_waiters: 2,
    alibi_postgres_connection_failures_total: 0,
    alibi_postgres_connection_waits_given_up_total: 0,
    'alibi_postgres_transaction_retries_total{reason="deadlock"}': 0,
    'alibi_postgres_transaction_retries_total{reason="serialization"}': 0,
  })
  state = { ...STATE, waiting: 0 }
  expect(await samples()).toMatchObject({ alibi_postgres_connection_waiters: 0 })
})

test('what becomes of them is counted', async () => {
  const { record, samples } = await openMetrics({ poolState: () => STATE })
  record(
    { kind: 'connection_waited', ms: 3, outcome: 'got' },
    { kind: 'connection_waited', ms: 5000, outcome: 'gave_up' },
    { kind: 'connection_failed' },
    { kind: 'transaction_retried', reason: 'deadlock' },
    { kind: 'transaction_retried', reason: 'serialization' },
    { kind: 'transaction_retried', reason: 'serialization' },
  )
  expect(await samples()).toMatchObject({
    alibi_postgres_connection_wait_seconds_count: 2,
    alibi_postgres_connection_wait_seconds_sum: 5.003,
    'alibi_postgres_connection_wait_seconds_bucket{le="0.005"}': 1,
    alibi_postgres_connection_waits_given_up_total: 1,
    alibi_postgres_connection_failures_total: 1,
    'alibi_postgres_transaction_retries_total{reason="deadlock"}': 1,
    'alibi_postgres_transaction_retries_total{reason="serialization"}': 2,
  })
})

test('an embedded database has no such metrics', async () => {
  const { record, samples } = await openMetrics({ poolState: null })
  record({ kind: 'connection_failed' })
  const names = Object.keys(await samples())
  expect(names.filter((name) => name.includes('postgres'))).toEqual([])
})

test('each has a help that is a sentence, as all have', async () => {
  const { read } = await openMetrics({ poolState: () => STATE })
  const helps = (await read()).match(/^# HELP alibi_postgres_\w+ [A-Z].+\.$/gm) ?? []
  expect(helps.length).toBe(7)
})
