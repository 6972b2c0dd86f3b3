import { describe, expect, test } from 'bun:test'
import { serviceUninstall } from '../../../../interfaces/cli/commands/service-uninstall.ts'
import { recordedOutput } from '../../../support/recorded-output.ts'

describe('service uninstall', () => {
  async function run({ isInstalled = true, answer = true, json = false } = {}) {
    const output = recordedOutput()
    const questions: string[] = []
    let isDone = false
    const exitCode = await serviceUninstall({
      ...output,
      isInstalled,
      json,
      async uninstall() {
        isDone = true
        return {
          removed: isInstalled ? ['/usr/local/bin/alibi'] : [],
          kept: ['/etc/alibi', '/var/lib/alibi'],
        }
      },
      async confirm(question) {
        questions.push(question)
        return answer
      },
    })
    return { exitCode, questions, isDone, lines: output.lines, errorLines: output.errorLines }
  }

  test('asks, and says what it has taken away and what is still there', async () => {
    const { exitCode, questions, isDone, lines } = await run()
    expect({ exitCode, isDone }).toEqual({ exitCode: 0, isDone: true })
    expect(questions).toEqual([expect.stringContaining('Its data stays.')])
    expect(lines).toEqual([
      'removed  /usr/local/bin/alibi',
      'kept     /etc/alibi',
      'kept     /var/lib/alibi',
    ])
  })

  test('does nothing unless the answer is yes', async () => {
    expect(await run({ answer: false, json: true })).toMatchObject({
      exitCode: 1,
      isDone: false,
      lines: [],
      errorLines: ['alibi: nothing was changed'],
    })
  })

  test('where nothing is installed it asks nothing, and says so', async () => {
    const { exitCode, questions, lines } = await run({ isInstalled: false })
    expect({ exitCode, questions }).toEqual({ exitCode: 0, questions: [] })
    expect(lines[0]).toBe('The service is not installed.')
  })

  test('says the same in JSON', async () => {
    const { lines } = await run({ json: true })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { removed: ['/usr/local/bin/alibi'], kept: ['/etc/alibi', '/var/lib/alibi'] },
    ])
  })
})
