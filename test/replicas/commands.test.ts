import { expect, test } from 'bun:test'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { ask, openFleet, prove } from '../support/replicas/fleet.ts'

const EMAIL = 'ada@example.com'

test.if(hasPostgres())(
  'every command of the operator works beside a service on a PostgreSQL',
  async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const run = async (...parameters: string[]) => {
      const { exitCode, stdout, stderr } = await fleet.run(...parameters)
      expect({ parameters, exitCode, stderr }).toEqual({ parameters, exitCode: 0, stderr: '' })
      return stdout
    }
    const [here, there] = [fleet.inTurn(0), fleet.inTurn(1)]

    expect(await run('migrate')).toContain('is up to date')
    expect(await run('grant', EMAIL)).toContain(EMAIL)
    expect(await run('status', EMAIL)).toContain('has premium')
    expect(await run('grants')).toContain(EMAIL)
    const token = await prove(fleet, EMAIL, { asked: here, typed: there })
    expect((await ask(there, '/premium-reasons', { token: token! })).status).toBe(200)
    await run('logout', EMAIL)
    expect((await ask(here, '/premium-reasons', { token: token! })).status).toBe(401)
    expect(await run('unlock', EMAIL)).toContain(EMAIL)
    await run('reconcile')
    await run('purchases')
    expect(JSON.parse(await run('export', EMAIL))).toMatchObject({ email: EMAIL })
    await run('revoke', EMAIL)
    expect(await run('status', EMAIL)).toContain('does not have premium')
    expect(await run('erase', EMAIL, '--yes')).toContain('erased')
    expect(await run('status', EMAIL)).not.toContain('by hand')
  },
)
