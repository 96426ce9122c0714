import type { Feature, RfbEvent } from './events.ts'
import type { Framebuffer } from './framebuffer.ts'
import type { Inbox } from './inbox.ts'
import type { Settings } from './options.ts'
import type { WorkBudget } from './work-budget.ts'
import type { Inflater } from './zrle/inflater.ts'

/** The shared state of one connection. */
export interface Session {
  readonly inbox: Inbox
  readonly settings: Settings
  readonly budget: WorkBudget
  readonly inflater: Inflater
  framebuffer: Framebuffer
  readonly send: (bytes: Uint8Array) => void
  readonly emit: (event: RfbEvent) => void
  /** Emits `supported` for a feature the first time; returns whether this was the first time. */
  readonly announce: (feature: Feature) => boolean
}
