import { Client } from 'pg'

/**
 * The rows that one statement gives, on a connection of its own. Throws where the connection ends first, and then only
 * that: a client without a listener for its errors would fail the test that happens to run.
 */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
