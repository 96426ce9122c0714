import { readdir, readFile } from 'node:fs/promises'
import { machinePaths } from '../../packages/machines/src/engines/local/machine-paths.ts'
import { cgroupLayout, processesOf } from '../../packages/machines/src/engines/local/oci/cgroups.ts'
import { Containers } from '../../packages/machines/src/engines/local/oci/containers.ts'
import { findInit } from '../../packages/machines/src/engines/local/oci/init-process.ts'
import {
  descendantsOf,
  frontOf,
  type HostProcess,
  hostProcess,
  workersOf,
} from '../support/host-processes.ts'
import type { World } from './world.ts'

/** The children of the host, of the front and of the workers, by program name. */
export async function childrenOfService(world: World, name: string): Promise<number[]> {
  const { pid } = world.installation.service
  const parents = [pid, await frontOf(pid), ...(await machineWorkers(world))]
  return (await descendantsOf(pid))
    .filter(child => parents.includes(child.parent) && child.name === name)
    .map(pidOf)
}

export async function frontOfService({ installation }: World): Promise<number[]> {
  return [await frontOf(installation.service.pid)]
}

/** The database backends of the service's connections; each is a process. */
export async function databaseBackends(world: World): Promise<number[]> {
  const [postmaster = 0] = await childrenOfService(world, 'postgres')
  const pids = (await descendantsOf(postmaster)).map(pidOf)
  return whoseCommand(pids, command => command.startsWith('postgres: sandglass_service '))
}

/** The helper that dials ports. The host has other helpers in Perl, which mount the disks of new machines. */
export async function portDialers(world: World): Promise<number[]> {
  return whoseCommand(await childrenOfService(world, 'perl'), command => command.includes('port-dialer'))
}

export async function wholeDatabase(world: World): Promise<number[]> {
  const [postmaster = 0] = await childrenOfService(world, 'postgres')
  return [postmaster, ...(await descendantsOf(postmaster)).map(pidOf)]
}

/**
 * The processes that talk to machines. The one that started last is spare, and talks to none yet. Those that only read the file of a
 * worker that has ended do not count.
 */
export async function machineWorkers({ installation }: World): Promise<number[]> {
  const workers = await workersOf(installation.service.pid)
  return (await whoseCommand(workers, command => !command.includes('--old-file'))).slice(0, -1)
}

/** The threads of the workers that encode pictures. */
export async function encoderThreads(world: World): Promise<number[]> {
  const folders = (await machineWorkers(world)).map(pid => `/proc/${pid}/task`)
  const threads = await Promise.all(
    folders.map(async folder =>
      Promise.all(
        (await readdir(folder)).map(async id => ({
          id,
          name: await readFile(`${folder}/${id}/comm`, 'utf8'),
        })),
      ),
    ),
  )
  return threads
    .flat()
    .filter(({ name }) => name.trim() === 'WorkerThread')
    .map(({ id }) => Number(id))
}

/** Process 1 of the machine, which is the agent. */
export async function agentOf(world: World): Promise<number[]> {
  const init = await findInit(machinePaths(world.engine, world.machineId))
  return init ? [init.pid] : []
}

/** Processes in the machine by program name, with their ids on the host. */
export async function guestProcesses(world: World, name: string): Promise<number[]> {
  const group = new Containers(world.engine).groupOf(world.machineId)
  const all = await Promise.all((await processesOf(cgroupLayout(), group)).map(hostProcess))
  return all.filter(process => process?.name === name && !process.hasEnded).map(process => process?.pid ?? 0)
}

/** Leaves out processes that have ended. */
async function whoseCommand(
  pids: readonly number[],
  isWanted: (command: string) => boolean,
): Promise<number[]> {
  const found: number[] = []
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command !== '' && isWanted(command)) found.push(pid)
  }
  return found
}

const pidOf = ({ pid }: HostProcess) => pid
