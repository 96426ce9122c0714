import type { LeaseHolder, RoomMessage } from '@sandglass/protocol'

/** A viewer who can take control. */
export interface Contender {
  /** The id of the connection. */
  readonly viewer: string
  readonly name: string
  /** The same for all connections of one person. */
  readonly person: string
}

/** A message for one viewer. */
export interface Notice {
  readonly to: string
  readonly message: RoomMessage
}

type Holder =
  | { readonly kind: 'agent' }
  | { readonly kind: 'nobody' }
  | (Contender & { readonly kind: 'person'; readonly isAway: boolean })

/**
 * Who has control of a sandbox. The number grows with each change, and the room then announces the new state. A
 * person who disconnects keeps control for a while; after that it goes to nobody if a person was called, and
 * otherwise to the agent.
 */
export class Lease {
  #number: number
  #holder: Holder
  /** A person was called and has not handed back. Until then, control goes to nobody rather than to the agent. */
  #isCalled: boolean
  /** What the person was called for. */
  #message: string | undefined
  readonly #requests = new Map<string, Contender>()

  constructor(number: number, control: 'agent' | 'user', isCalled: boolean, message?: string) {
    this.#number = number
    this.#holder = control === 'agent' ? { kind: 'agent' } : { kind: 'nobody' }
    this.#isCalled = isCalled
    this.#message = isCalled ? message : undefined
  }

  get number(): number {
    return this.#number
  }

  get control(): 'agent' | 'user' {
    return this.#holder.kind === 'agent' ? 'agent' : 'user'
  }

  get isCalled(): boolean {
    return this.#isCalled
  }

  /** The name of the person in control. */
  get person(): string | undefined {
    return this.#holder.kind === 'person' ? this.#holder.name : undefined
  }

  /** Whether the person in control is disconnected. */
  get isAway(): boolean {
    return this.#holder.kind === 'person' && this.#holder.isAway
  }

  get message(): RoomMessage {
    return {
      kind: 'lease',
      number: this.#number,
      holder: this.#shown(),
      ...(this.#message !== undefined && { message: this.#message }),
    }
  }

  isHeldBy(viewer: string): boolean {
    return this.#holder.kind === 'person' && this.#holder.viewer === viewer
  }

  /** Calls for a person, by the agent or its operator. */
  call(message?: string): Notice[] {
    this.#isCalled = true
    this.#message = message ?? this.#message
    return this.#holder.kind === 'agent' ? this.#handTo({ kind: 'nobody' }) : []
  }

  /** Gives control to the agent, whoever has it. */
  recall(): Notice[] {
    this.#isCalled = false
    this.#message = undefined
    return this.#holder.kind === 'agent' ? [] : this.#handTo({ kind: 'agent' })
  }

  /**
   * Takes control, or asks its holder for it. `isForced` takes it without asking; the caller checks the right to do
   * so.
   */
  take(by: Contender, isForced: boolean): Notice[] {
    const holder = this.#holder
    if (holder.kind !== 'person' || isForced || holder.person === by.person || holder.isAway) {
      if (this.isHeldBy(by.viewer)) return []
      return this.#handTo(personOf(by))
    }
    this.#requests.set(by.viewer, by)
    return [{ to: holder.viewer, message: { kind: 'asked', viewer: by.viewer, name: by.name } }]
  }

  answer(by: string, asker: string, grant: boolean): Notice[] {
    const asking = this.#requests.get(asker)
    if (!this.isHeldBy(by) || !asking) return []
    this.#requests.delete(asker)
    if (grant) return this.#handTo(personOf(asking))
    return [refusal(asker, 'The person in control wants to keep it.')]
  }

  handBack(by: string): Notice[] {
    return this.isHeldBy(by) ? this.recall() : []
  }

  /** Removes control from a viewer who lost the right to it but is still connected. */
  lose(viewer: string): Notice[] {
    this.#requests.delete(viewer)
    return this.isHeldBy(viewer) ? this.#handTo(this.#without()) : []
  }

  leave(viewer: string): void {
    this.#requests.delete(viewer)
    if (this.#holder.kind === 'person' && this.isHeldBy(viewer))
      this.#holder = { ...this.#holder, isAway: true }
  }

  /** Gives control back to a person who returns while it is still kept for them. */
  come(who: Contender): Notice[] {
    const holder = this.#holder
    if (holder.kind !== 'person' || !holder.isAway || holder.person !== who.person) return []
    return this.#handTo(personOf(who))
  }

  /** Takes control from a person who was away for too long. */
  giveUp(): Notice[] {
    return this.isAway ? this.#handTo(this.#without()) : []
  }

  #without(): Holder {
    return { kind: this.#isCalled ? 'nobody' : 'agent' }
  }

  #handTo(holder: Holder): Notice[] {
    this.#holder = holder
    this.#number++
    const rejected = [...this.#requests.keys()]
    this.#requests.clear()
    return rejected
      .filter(viewer => !this.isHeldBy(viewer))
      .map(viewer => refusal(viewer, 'Somebody else has control now.'))
  }

  #shown(): LeaseHolder {
    const holder = this.#holder
    if (holder.kind !== 'person') return { kind: holder.kind }
    return { kind: 'person', viewer: holder.viewer, name: holder.name }
  }
}

function personOf({ viewer, name, person }: Contender): Holder {
  return { kind: 'person', viewer, name, person, isAway: false }
}

function refusal(to: string, reason: string): Notice {
  return { to, message: { kind: 'refused', reason } }
}
