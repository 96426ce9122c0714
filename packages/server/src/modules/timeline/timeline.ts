import type { RequestedAction, TimelineAction } from '@sandglass/protocol'
import type { DatabaseClock } from '../../db/clock.ts'
import type { Picture } from '../../pictures/pictures.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import type { ActionLog } from './action-log.ts'
import type { ActionMetrics } from './action-metrics.ts'
import { argumentsOf } from './arguments.ts'

export interface TimelineParts {
  readonly log: Pick<ActionLog, 'add'>
  readonly clock: Pick<DatabaseClock, 'now'>
  /** Whether the arguments of actions are kept, and not only their types. */
  readonly keepsArguments: boolean
  readonly metrics: Pick<ActionMetrics, 'ended'>
}

/** How an action was requested. */
export interface Request {
  readonly source: TimelineAction['source']
  /** Whether its arguments must not be kept. */
  readonly isSecret: boolean
}

/** An action that is being performed. */
export interface Attempt {
  /** Adds it to the timeline. Call it once. */
  end(outcome: string, picture?: Picture): void
}

/** Keeps what is done in sandboxes. */
export class Timeline {
  readonly #parts: TimelineParts

  constructor(parts: TimelineParts) {
    this.#parts = parts
  }

  begin({ sandbox, actor }: Inside, action: RequestedAction, { source, isSecret }: Request): Attempt {
    const { log, clock, keepsArguments, metrics } = this.#parts
    const at = new Date(clock.now())
    const from = performance.now()
    return {
      end: (outcome, picture) => {
        const durationMs = performance.now() - from
        metrics.ended(action.type, outcome, durationMs / 1000)
        log.add({
          org_id: sandbox.org_id,
          sandbox_id: sandbox.id,
          at,
          actor_kind: actor.kind,
          actor_id: actor.id,
          source,
          type: action.type,
          action: keepsArguments && !isSecret ? argumentsOf(action) : null,
          duration_ms: Math.round(durationMs),
          outcome,
          screenshot: picture?.file ?? null,
        })
      },
    }
  }
}
