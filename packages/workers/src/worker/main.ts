import { Socket } from 'node:net'
import { warmUp } from '@sandglass/gateway/picture'
import { fileDescriptor, workerDescriptor } from '@sandglass/host'
import { AccessOfWorker } from '@sandglass/host/worker'
import { RawFile } from '../raw/raw-file.ts'
import { MachineWorker } from './machine-worker.ts'

/** A worker: talks to the machines that the front gives to it. It has no rights, and reaches nothing but what it is passed. */
const host = new AccessOfWorker(new Socket({ fd: workerDescriptor }))
const worker = new MachineWorker(await host.front(), handle => host.open(handle), {
  file: new RawFile(fileDescriptor),
  isOld: process.argv.includes('--old-file'),
})
// It gives way to every call that arrives.
void warmUp()
await Promise.race([host.ended, worker.ended])
process.exit()
