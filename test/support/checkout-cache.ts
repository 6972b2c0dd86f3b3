import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from './processes.ts'

/** Within the checkout, so that whatever lies there is its owner's. */
const CACHE = join(import.meta.dir, '../../.cache')
const OWNER = /-of-(?<pid>\d+)-/

/** Where what has this name is kept for later runs. */
export function cachePath(name: string): string {
  mkdirSync(CACHE, { recursive: true })
  return join(CACHE, name)
}

/** An empty folder beside it. It may be moved to where it is kept; else it goes away after this process. */
export function makeDraft(): string {
  sweepDrafts()
  return mkdtempSync(cachePath(`draft${ownedName()}`))
}

/** Takes away the drafts of processes that are gone, and those of this one where it needs them no more. */
export function sweepDrafts({ withOwn = false } = {}): void {
  const isOver = (name: string) => isLeft(name) || (withOwn && name.includes(ownedName()))
  for (const name of readdirSync(cachePath('')).filter(isOver)) {
    rmSync(cachePath(name), { recursive: true, force: true })
  }
}

/** What the name of a thing contains that belongs to this process. */
export function ownedName(): string {
  return `-of-${process.pid}-`
}

/** Whether the name is of a thing whose process is gone. */
export function isLeft(name: string): boolean {
  const owner = OWNER.exec(name)?.groups?.['pid']
  return owner !== undefined && !isRunning(Number(owner))
}
