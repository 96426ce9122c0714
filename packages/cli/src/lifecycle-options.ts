import type { OptionDefinition } from './command-definition.ts'
import { UsageError } from './failures.ts'
import { parseDuration } from './quantities.ts'

type Rule = 'delete' | 'pause'

export interface LifecycleOptions {
  readonly onTimeout?: Rule
  readonly idle?: number
  readonly onIdle?: Rule
  readonly autoResume?: boolean
}

const rules = ['delete', 'pause'] as const

/** What happens to a sandbox when its time is up and when it is idle. */
export const lifecycleOptions: readonly OptionDefinition[] = [
  { flags: '--on-timeout <rule>', description: 'What happens when its time is up.', choices: rules },
  {
    flags: '--idle <time>',
    description: 'It is idle if nobody used it for this long.',
    parse: parseDuration,
  },
  { flags: '--on-idle <rule>', description: 'What happens when it is idle.', choices: rules },
  { flags: '--auto-resume', description: 'A call wakes it if it is paused.' },
]

export function lifecycleOf({ onTimeout, idle, onIdle, autoResume }: LifecycleOptions) {
  if (onIdle && idle === undefined)
    throw new UsageError(
      '--on-idle needs --idle.',
      'Say for how long nobody has to use it, such as --idle 10m.',
    )
  return {
    ...(onTimeout && { onTimeout }),
    ...(idle !== undefined && { idleSeconds: idle }),
    ...(onIdle && { onIdle }),
    ...(autoResume !== undefined && { autoResume }),
  }
}
