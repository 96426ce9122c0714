import { setTimeout as pause } from 'node:timers/promises'
import { defaultScreen, type MachineSpec } from '../../../contract/spec.ts'
import { guestOf } from '../../local/guest/guest.ts'
import { LocalMachine } from '../../local/local-machine.ts'
import { groupOf } from '../../local/oci/cgroups.ts'
import { activityOf } from '../../local/oci/group-activity.ts'
import { handleOf } from '../handle.ts'
import type { VmGround } from '../machine/start-vm.ts'

const rounds = 2
const lookEveryMs = 500
/** A guest that is at rest uses less than this part of a processor. */
const restingPart = 0.05
/** A desktop that is never at rest is used as it is. */
const restTimeoutMs = 30_000

/**
 * Uses a machine once before its memory is saved, and waits until it has nothing left to do. What it loads and computes now is shared
 * by all machines that start from its memory, and each of them would do it again otherwise.
 */
export async function warmUp(
  { settings, layout }: Pick<VmGround, 'settings' | 'layout'>,
  { id, screen: screenSize = defaultScreen }: MachineSpec,
  signal: AbortSignal,
): Promise<void> {
  const { openFile: _, ...guest } = guestOf(id, settings, layout)
  const machine = await LocalMachine.open({ handle: handleOf(id), screenSize }, guest, () => {})
  try {
    for (let round = 0; round < rounds; round++) await use(machine, signal)
  } finally {
    machine.close()
  }
  await rest(() => activityOf(layout, groupOf(settings.instance, id))?.cpuMs ?? 0, signal)
}

async function use(machine: LocalMachine, signal: AbortSignal): Promise<void> {
  await (await machine.exec({ executable: 'true', signal })).exited
  const file = await machine.files.open('/etc/hostname', { signal })
  for await (const _ of file.read());
  await machine.screen.look()
}

async function rest(usedMs: () => number, signal: AbortSignal): Promise<void> {
  const end = performance.now() + restTimeoutMs
  let [last, lastAt] = [usedMs(), performance.now()]
  while (lastAt < end) {
    await pause(lookEveryMs, undefined, { signal })
    const [now, at] = [usedMs(), performance.now()]
    if (now - last < restingPart * (at - lastAt)) return
    ;[last, lastAt] = [now, at]
  }
}
