import { isDeepStrictEqual } from 'node:util'
import { MachineError, type MachineHandle } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { AccessMethods } from '../access-methods.ts'

/** The machines that one worker may connect to. */
export class Admitted {
  #handles: MachineHandle[] = []

  add(handle: MachineHandle): void {
    if (!this.#has(handle)) this.#handles.push(handle)
  }

  remove(handle: MachineHandle): void {
    this.#handles = this.#handles.filter(other => !isDeepStrictEqual(other, handle))
  }

  /** Lets only calls through that are about these machines. */
  guard(handlers: Handlers<AccessMethods>): Handlers<AccessMethods> {
    const require = (handle: MachineHandle) => {
      // A call that was under way when the machine ended comes too late. It must not look as if a file denied it.
      if (!this.#has(handle))
        throw new MachineError('MACHINE_FAILED', 'the machine has ended, or belongs to another worker')
    }
    const guarded =
      <Args extends { readonly handle: MachineHandle }, Rest extends unknown[], Result>(
        handler: (args: Args, ...rest: Rest) => Promise<Result>,
      ) =>
      async (args: Args, ...rest: Rest): Promise<Result> => {
        require(args.handle)
        return handler(args, ...rest)
      }
    return {
      reach: guarded(handlers.reach),
      connect: guarded(handlers.connect),
      dialPort: guarded(handlers.dialPort),
      isAwake: guarded(handlers.isAwake),
      assertStorable: guarded(handlers.assertStorable),
      activity: guarded(handlers.activity),
      ending: guarded(handlers.ending),
    }
  }

  #has(handle: MachineHandle): boolean {
    return this.#handles.some(other => isDeepStrictEqual(other, handle))
  }
}
