import type { Engine, MachinePlace } from '@sandglass/machines/contract'

/** Spreads the machines of the warm pool over the members of a cluster, in turn. */
export class Spread {
  #turn = 0

  /** Returns where the next machine is to be created; undefined if the engine is no cluster or no member is online. */
  async next(engine: Engine): Promise<MachinePlace | undefined> {
    const online = ((await engine.members?.().catch(() => undefined)) ?? []).filter(
      ({ status, fits }) => status === 'online' && fits !== 0,
    )
    const member = online[this.#turn++ % Math.max(online.length, 1)]
    return member && { member: member.name }
  }
}
