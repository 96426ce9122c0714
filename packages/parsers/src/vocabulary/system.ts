import type { Intent } from '../intent.ts'
import { keyOf } from '../readers/keys.ts'
import { type Fields, oneOf, textOf } from '../readers/value.ts'
import { timeIn } from './amounts.ts'
import type { Meaning } from './pointer.ts'

const appNames = oneOf('app_name app text content name value appName application appname')
const statusNames = oneOf('status goal_status')
const packageNames = oneOf('package package_name packageName')
const buttonNames = oneOf('button key text name value content')

const maxNameLength = 255

const messageNames = oneOf(
  'summary content message text answer return result question reason value response info',
)

function messageIn(fields: Fields): string | undefined {
  return textOf(fields.any(messageNames))?.trim()
}

function saying(kind: 'finished' | 'failed' | 'ask', message: string | undefined): Intent {
  return message ? { kind, message } : { kind }
}

export const wait: Meaning = (fields, dialect) => ({
  kind: 'wait',
  duration: timeIn(fields) ?? dialect.waitMs,
})

/** An answer ends the task, regardless of its other fields. */
export const finish: Meaning = fields => saying('finished', messageIn(fields))
export const fail: Meaning = fields => saying('failed', messageIn(fields))
export const ask: Meaning = fields => saying('ask', messageIn(fields))

const failures = new Set(
  'failure failed fail infeasible unfeasible impossible error abort aborted'.split(' '),
)
const successes = new Set(
  'success successful succeeded complete completed task_complete done finished finish ok'.split(' '),
)

/** Ends the task as finished or failed, depending on its status. */
export const terminate: Meaning = fields => {
  const status = textOf(fields.any(statusNames))?.trim().toLowerCase() ?? 'success'
  if (failures.has(status)) return saying('failed', messageIn(fields))
  return successes.has(status) ? saying('finished', messageIn(fields)) : undefined
}

export function plain(kind: 'screenshot' | 'back' | 'home' | 'listApps'): Meaning {
  return () => ({ kind })
}

export function key(keys: string): Meaning {
  return () => ({ kind: 'keys', keys })
}

function app(kind: 'start' | 'close'): Meaning {
  return fields => {
    const packaged = textOf(fields.any(packageNames))?.trim()
    if (isName(packaged)) return { kind: `${kind}Package`, name: packaged }
    const name = textOf(fields.any(appNames))?.trim()
    return isName(name) ? { kind: `${kind}App`, name } : undefined
  }
}

export const openApp = app('start')
export const closeApp = app('close')

function isName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && name.length <= maxNameLength
}

/** A button of the phone by name. There is no action for the overview of recent apps. */
export const systemButton: Meaning = fields => {
  const name = textOf(fields.any(buttonNames))?.trim().toLowerCase()
  if (name === undefined || name === 'recent' || name === 'recents' || name === 'overview') return undefined
  if (name === 'back' || name === 'home') return { kind: name }
  const keys = keyOf(name)
  return keys === undefined ? undefined : { kind: 'keys', keys }
}
