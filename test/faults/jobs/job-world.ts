import type { Answer, Asked } from '../calls.ts'

/** What jobs need of the world that they run in: a sandbox, and calls to it. */
export interface JobWorld {
  readonly image: 'minimal' | 'desktop' | 'phone'
  readonly sandboxId: string
  /** When a process was last killed that had screenshots which were not stored. They may be lost, as the docs say. */
  readonly framesLostAtMs: number
  /** A path that begins with a slash is relative to the sandbox. */
  ask(asked: Asked): Promise<Answer>
  /** Runs a script in the machine and returns its output; undefined if it could not be run. */
  run(script: string): Promise<string | undefined>
}
