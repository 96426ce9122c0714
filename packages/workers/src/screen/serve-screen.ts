import { type Handlers, WithBytes } from '@sandglass/rpc'
import type { Capture, Looked, LookRequest } from '../contract/index.ts'
import type { DirectMachine } from '../direct-machine.ts'
import type { Encoders } from '../encoding/encoders.ts'
import { machineErrors } from '../errors.ts'
import type { screenMethods, WireLook, WireLooked } from './screen-methods.ts'

/** The captures of a machine that wait to be encoded, and the last one, which may serve again. */
class Captures {
  readonly #waiting = new Map<number, Capture>()
  #last: { readonly number: number; readonly capture: Capture } | undefined
  #count = 0

  find(number: number | undefined): Capture | undefined {
    return this.#last && this.#last.number === number ? this.#last.capture : undefined
  }

  numberOf(capture: Capture): number {
    if (this.#last?.capture === capture) return this.#last.number
    const number = ++this.#count
    this.#last = { number, capture }
    if (!capture.raw) this.#waiting.set(number, capture)
    return number
  }

  get(number: number): Capture {
    const capture = this.#waiting.get(number)
    if (!capture) throw new Error('there is no such capture')
    return capture
  }

  done(number: number): void {
    this.#waiting.delete(number)
  }
}

/** Serves the screens of a worker's machines. */
export function serveScreens(
  find: (machine: string) => DirectMachine,
  encoders: Encoders,
): Handlers<typeof screenMethods> {
  const captures = new WeakMap<DirectMachine, Captures>()
  const capturesOf = (machine: DirectMachine) => {
    const known = captures.get(machine) ?? new Captures()
    captures.set(machine, known)
    return known
  }
  return {
    'screen.size': ({ machine }) => find(machine).screen.size(),
    async 'screen.perform'({ machine: name, action, look }, { signal }) {
      const machine = find(name)
      const own = capturesOf(machine)
      const { result, looked } = await machine.screen.perform(action, {
        signal,
        ...(look && { look: requestOf(look, own) }),
      })
      return { result, ...(looked && { looked: wireOf(looked, own) }) }
    },
    async 'screen.look'({ machine: name, look }, { signal }) {
      const machine = find(name)
      const own = capturesOf(machine)
      return wireOf(await machine.screen.look(requestOf(look, own), signal), own)
    },
    'screen.begin': ({ machine }) => find(machine).screen.begin(),
    async 'screen.thumbnail'({ machine, width, known }) {
      const { tag, body } = await find(machine).screen.thumbnail(width, known)
      return new WithBytes({ tag, isKnown: body === undefined }, body ?? new Uint8Array())
    },
    async 'picture.encode'({ machine, capture: number }) {
      const own = capturesOf(find(machine))
      try {
        const { body, hash, seconds } = await own.get(number).encode()
        return new WithBytes({ hash, seconds }, body)
      } finally {
        own.done(number)
      }
    },
    async 'picture.prioritize'({ machine, capture }) {
      capturesOf(find(machine)).get(capture).prioritize()
    },
    async 'picture.transcode'({ to, tenant }, { bytes }) {
      const { body, seconds } = await encoders.transcode(new Uint8Array(bytes), to, tenant)
      return new WithBytes({ seconds }, body)
    },
  }
}

function requestOf({ picture, ...look }: WireLook, captures: Captures): LookRequest {
  if (!picture) return look
  return { ...look, picture: { ...picture, unlessSameAs: captures.find(picture.unlessSameAs) } }
}

function wireOf({ settled, capture, changed, cursor, elements }: Looked, captures: Captures): WireLooked {
  return {
    changed: [...changed],
    ...(settled && { settled }),
    ...(capture && {
      capture: {
        number: captures.numberOf(capture),
        size: capture.size,
        frameBytes: capture.frameBytes,
        ...(capture.raw && { raw: { frame: capture.raw.frame, fill: capture.raw.fill ?? 0 } }),
      },
    }),
    ...(cursor && { cursor }),
    ...(elements && 'tree' in elements && { tree: elements.tree.map(mutable) }),
    ...(elements && 'error' in elements && { treeError: machineErrors.describe(elements.error) }),
  }
}

type Element = Extract<Looked['elements'], { readonly tree: unknown }>['tree'][number]

function mutable({ states, actions, ...element }: Element) {
  return { ...element, states: [...states], actions: [...actions] }
}
