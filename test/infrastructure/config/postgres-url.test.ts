import { describe, expect, test } from 'bun:test'
import type { PostgresConfig } from '../../../infrastructure/config/database-settings.ts'
import { development, problemsOf } from '../../support/config-loading.ts'

const JWT_SECRET = 'a secret of more than thirty-two bytes'
const SECRET = 'canary7f3a'

const load = (DATABASE_URL: string) => development({ DATABASE_URL, JWT_SECRET }).database

function parsed(url: string): PostgresConfig {
  const database = load(url)
  if (database.kind === 'postgres') return database
  throw new Error('the URL is not one of PostgreSQL')
}

function placeOf(url: string): string {
  const { host, port } = parsed(url)
  return `${host} ${port}`
}

describe('a URL of PostgreSQL', () => {
  test('needs no more than a host and a user', () => {
    expect(parsed('postgres://alibi@db.example.com')).toEqual({
      kind: 'postgres',
      host: 'db.example.com',
      port: 5432,
      user: 'alibi',
      database: 'alibi',
      password: null,
      applicationName: 'alibi',
      tls: { mode: 'prefer', rootCertificate: null, client: null },
      connectTimeoutMs: 0,
      shownUrl: 'postgres://alibi@db.example.com:5432/alibi',
      poolMax: 10,
      timeoutMs: 5000,
    })
  })

  test('has each of its parts encoded', () => {
    const url = parsed('postgresql://u%40s:%2F%3A%40%20%25%23@%64b:6432/n%2Fm%C3%A9')
    expect(url).toMatchObject({
      host: 'db',
      port: 6432,
      user: 'u@s',
      password: '/:@ %#',
      database: 'n/mé',
      shownUrl: 'postgres://u%40s@db:6432/n%2Fm%C3%A9',
    })
  })

  test('has a password up to the first @, whatever else is in it', () => {
    expect(parsed('postgres://u:a?b#c:d&e@h/d')).toMatchObject({
      password: 'a?b#c:d&e',
      host: 'h',
      port: 5432,
    })
  })

  test.each([
    ['postgres://u@[2001:db8::1]:5433/d', '2001:db8::1 5433'],
    ['postgres://u@[::1]/d', '::1 5432'],
    ['postgres://u@10.0.0.1:/d', '10.0.0.1 5432'],
    ['postgres://u@/d', '/var/run/postgresql 5432'],
    ['postgres:///d?user=u&port=5433', '/var/run/postgresql 5433'],
    ['postgres://u@%2Frun%2Fpg:5433/d', '/run/pg 5433'],
    ['postgres://u@/d?host=/run/pg', '/run/pg 5432'],
    ['postgres://u@one/d?host=two&port=1', 'two 1'],
    ['postgres://u@my_db.local', 'my_db.local 5432'],
  ])('names a host: %s', (url, place) => {
    expect(placeOf(url)).toBe(place)
  })

  test('says by parameters what else there is to know', () => {
    const query = [
      ...['sslmode=verify-ca', 'sslrootcert=%2Fetc%2Fca.pem', 'sslcert=/c.pem', 'sslkey=/k.pem'],
      ...['application_name=alibi%201', 'connect_timeout=3'],
      ...['password=other', 'dbname=else'],
    ]
    expect(parsed(`postgres://u:p@h/d?${query.join('&')}`)).toMatchObject({
      tls: {
        mode: 'verify-ca',
        rootCertificate: '/etc/ca.pem',
        client: { certificate: '/c.pem', key: '/k.pem' },
      },
      applicationName: 'alibi 1',
      connectTimeoutMs: 3000,
      password: 'other',
      database: 'else',
      shownUrl: 'postgres://u@h:5432/else',
    })
  })

  test.each([
    ['sslmode=disable', 'disable'],
    ['sslmode=prefer', 'prefer'],
    ['sslmode=require', 'require'],
    ['sslmode=verify-full', 'verify-full'],
    ['ssl=true', 'require'],
    ['sslrootcert=system', 'verify-full'],
    ['sslrootcert=/ca.pem', 'prefer'],
    ['connect_timeout=0', 'prefer'],
    ['channel_binding=prefer&target_session_attrs=read-write', 'prefer'],
    ['sslmode=verify-full&channel_binding=require', 'verify-full'],
  ])('with %s has the mode %s', (query, mode) => {
    expect(parsed(`postgres://u@h?${query}`).tls.mode as string).toBe(mode)
    expect(parsed(`postgres://u@h?${query}`).connectTimeoutMs).toBe(0)
  })

  test('shows no password and no parameter', () => {
    const { shownUrl } = parsed(
      `postgres://u:${SECRET}@[::1]:2/d?password=${SECRET}&application_name=${SECRET}`,
    )
    expect(shownUrl).toBe('postgres://u@[::1]:2/d')
  })
})

describe('a wrong URL of PostgreSQL', () => {
  const EACH_PART = /must be postgres:\/\/USER:PASSWORD@HOST:PORT\/NAME, with %XX for/

  test.each<[string, RegExp]>([
    // A password with characters that are not encoded, where the rest looks like other parts.
    [`postgres://u:${SECRET}/x@h/d`, EACH_PART],
    [`postgres://u:12/${SECRET}@h/d`, EACH_PART],
    [`postgres://u:a@${SECRET}@h/d`, EACH_PART],
    [`postgres://u:a@${SECRET}/b@h/d`, EACH_PART],
    [`postgres://u:a@b/${SECRET}?c@h/d`, EACH_PART],
    [`postgres://u:${SECRET}%@h/d`, EACH_PART],
    [`postgres://u:${SECRET}%00@h/d`, EACH_PART],
    [`postgres://u:${SECRET}%FF@h/d`, EACH_PART],
    [`postgres://u:${SECRET}@h:0/d`, /must have a whole number .+ as port$/],
    [`postgres://u:${SECRET}@h:65536/d`, /must have a whole number .+ as port$/],
    [`postgres://u:${SECRET}@$HOST/d`, EACH_PART],
    [`postgres://u:${SECRET}@[::1/d`, EACH_PART],
    [`postgres://u:${SECRET}@[x]/d`, EACH_PART],
    [`postgres://u:${SECRET}@h/d/e`, EACH_PART],
    [`postgres://u:${SECRET}@h/d?sslmode`, EACH_PART],
    [`postgres://u:${SECRET}@h/d?sslmode=a=b`, EACH_PART],
    [`postgres://u:${SECRET}@h/d\n`, EACH_PART],
    [`postgres://:${SECRET}@h/d`, /: it names no user$/],
    ['postgres://', /: it names no user$/],
    [`postgres://u:${SECRET}@h/d?${SECRET}=1`, /must have no other parameters than host, port, /],
    [`postgres://u:${SECRET}@h/d?Sslmode=require`, /must have no other parameters than /],
    [`postgres://u:${SECRET}@h/d?sslmode=no-verify`, /must have disable or .+ as sslmode$/],
    [`postgres://u:${SECRET}@h/d?sslcert=/c`, /must have both sslcert and sslkey, or neither$/],
    [`postgres://u:${SECRET}@h/d?sslkey=/c`, /must have both sslcert and sslkey, or neither$/],
    [
      `postgres://u:${SECRET}@h/d?sslmode=require&sslrootcert=system`,
      /must have verify-full as sslmode where sslrootcert is system$/,
    ],
    [
      `postgres://u:${SECRET}@h/d?sslmode=require&channel_binding=require`,
      /must have verify-full as sslmode where channel_binding is require$/,
    ],
    [`postgres://u:${SECRET}@h/d?connect_timeout=-1`, /must have a whole .+ as connect_timeout$/],
    [`postgres://u:${SECRET}@h/d?application_name=%C3%A9`, / as application_name$/],
    [`postgres://u:${SECRET}@h/d?sslmode=allow`, /must have disable or .+ as sslmode$/],
    [`postgres://u:${SECRET}@h/d?port=0`, /must have a whole number .+ as port$/],
    [`postgres://u:${SECRET}@a,b/d`, /must name one host: for several servers, /],
    [`postgres://u:${SECRET}@a:1,b:2/d`, /must name one host: for several servers, /],
    [`postgres://u:${SECRET}@/d?host=a,b`, /must name one host: for several servers, /],
  ])('is refused without being quoted: %s', (url, reason) => {
    const problems = problemsOf(() => load(url))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith('DATABASE_URL must ')
    expect(problems[0]).toMatch(reason)
    expect(problems[0]).not.toContain(SECRET)
  })
})
