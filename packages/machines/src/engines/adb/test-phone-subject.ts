import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { posixExpectations, type Subject } from '../../contract/conformance/index.ts'
import { AdbEngine } from './adb-engine.ts'
import { testSimulators } from './test-simulators.ts'

/** The engine of phones, with two simulators, as the conformance suite tests it. */
export async function phoneSubject(): Promise<Subject> {
  const { simulators, dispose } = await testSimulators(2)
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  const devices = simulators.map(({ address }) => address)
  return {
    open: () => AdbEngine.open({ dataDir, pools: { simulators: { devices, reset: 'none' } } }),
    spec: () => ({
      id: `t-${randomBytes(6).toString('hex')}`,
      image: 'simulators',
      cpus: 1,
      memoryMiB: 512,
      pids: 256,
      diskMiB: 512,
    }),
    expected: {
      ...posixExpectations,
      screen: { width: 720, height: 1280 },
      // ADB gives programs sockets instead of pipes, and runs them with the device's shell.
      hasPipes: false,
      runsTextAsScript: true,
      canWatchRecursively: false,
      takesTextAnywhere: false,
      hasRfb: false,
      shutDownReason: /^The device .* is gone/,
      reportsOrderlyShutdown: false,
    },
    // A device is claimed before anything is awaited.
    begun: async () => {},
    // The first machine of the suite has the first device, so the machine that is shut down is on the second.
    shutDown: async () => await simulators[1]?.powerOff(),
    powerOn: async () => await simulators[1]?.powerOn(),
    dispose: async () => {
      await dispose()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
