import type { Action, Parsed } from '@sandglass/protocol'

/** What a text says beside its actions. */
export class Said {
  thoughts: string | undefined
  memory: string | undefined
  unknown: string | undefined

  think(text: string, joint = '\n'): void {
    this.thoughts = joined(this.thoughts, text, joint)
  }

  remember(text: string): void {
    this.memory = joined(this.memory, text)
  }

  keep(text: string): void {
    this.unknown = joined(this.unknown, text)
  }

  /** All of it beside the actions; what was not said has no key. */
  with(actions: Action[]): Parsed {
    const { thoughts, memory, unknown } = this
    const parsed: Parsed = thoughts === undefined ? { actions } : { actions, thoughts }
    if (memory !== undefined) parsed.memory = memory
    if (unknown !== undefined) parsed.unknown = unknown
    return parsed
  }
}

function joined(before: string | undefined, text: string, joint = '\n'): string {
  return before === undefined ? text : before + joint + text
}
