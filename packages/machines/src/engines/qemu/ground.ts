import { KeyedMutex } from '@sandglass/supervision'
import { MachineError } from '../../contract/errors.ts'
import { raiseKernelCapacity } from '../local/host/kernel-capacity.ts'
import { readyRouter } from '../local/network/ready-router.ts'
import { loadApparmorProfile, vmProfileName } from '../local/oci/apparmor.ts'
import type { CgroupLayout } from '../local/oci/cgroups.ts'
import type { ProcessorSets } from '../local/oci/processor-sets.ts'
import { Runtime } from '../local/oci/runtime.ts'
import { createRunDirs } from '../local/rootfs/run-dirs.ts'
import { seeVmHost, whyNoVms } from './host/vm-host.ts'
import { makeKvmDevice } from './machine/kvm-device.ts'
import type { VmGround } from './machine/start-vm.ts'
import { makeVmRoot } from './machine/vm-root.ts'
import type { QemuSettings } from './options.ts'

/** What virtual machines stand on, made by the first that needs it and tried again after a failure. */
export class Ground {
  readonly settings: QemuSettings
  readonly layout: CgroupLayout
  readonly runtime: Runtime
  readonly #processors: ProcessorSets
  readonly #mutex = new KeyedMutex()
  #made: Promise<VmGround> | undefined

  constructor(settings: QemuSettings, layout: CgroupLayout, processors: ProcessorSets) {
    this.settings = settings
    this.layout = layout
    this.runtime = new Runtime(settings, layout, 'runc')
    this.#processors = processors
  }

  get(): Promise<VmGround> {
    this.#made ??= this.#make().catch(error => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  clear(): void {
    this.#made = undefined
  }

  async #make(): Promise<VmGround> {
    const { settings, layout, runtime } = this
    const reason = whyNoVms(seeVmHost())
    if (reason !== undefined) throw new MachineError('STATE', reason)
    await createRunDirs(settings)
    await raiseKernelCapacity(settings)
    const router = this.#mutex.run('the router', () => readyRouter(settings))
    const work = [
      makeVmRoot(settings),
      loadApparmorProfile(vmProfileName),
      settings.acceleration === 'kvm' ? makeKvmDevice(settings.runDir) : undefined,
      router,
    ] as const
    // Whoever learns of a failure may remove everything, so nothing may be under way by then.
    await Promise.allSettled(work)
    const [{ root, relayFolder }, apparmor, kvm] = await Promise.all(work)
    return { settings, runtime, layout, processors: this.#processors, root, relayFolder, apparmor, kvm }
  }
}
