import type { Readable } from 'node:stream'
import { MachineError, type PackageSource, PackagesError } from '@sandglass/machines/contract'
import type { BuildStep } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { install } from '../../applications/install.ts'
import { InstallError, type Progress } from '../../applications/installation.ts'
import { StepFailure } from './step-failure.ts'
import type { StepFiles } from './step-files.ts'
import { archivePath, packagesOf, type StepArchive, type StepCommand, type WorkStep } from './work-step.ts'

type Print = (stream: 'stdout' | 'stderr' | 'progress', text: string) => void

export interface StepRun {
  readonly machine: RunningMachine
  /** The position of the step, which names what belongs to it. */
  readonly at: number
  readonly files: StepFiles
  /** Reads an archive that was uploaded before the build. */
  readonly readArchive: (hash: string) => Readable
  readonly packages: PackageSource | undefined
  /** What the steps before have set. */
  readonly env: Readonly<Record<string, string>>
  readonly print: Print
  readonly signal: AbortSignal
}

/** Carries out a step in a machine, as its administrator. Throws a {@link StepFailure} if the step is to blame. */
export async function runStep(step: WorkStep, run: StepRun): Promise<void> {
  try {
    const packages = packagesOf(step)
    if (packages) await installPackages(packages, run)
    else if ('run' in step) await runScript(step.run, run)
    else if ('command' in step) await runCommand(step.command, run)
    else if ('archive' in step) await unpack(step.archive, run)
    else if ('file' in step) await writeFile(step.file, run)
  } catch (cause) {
    run.signal.throwIfAborted()
    const isForCaller =
      cause instanceof MachineError || cause instanceof InstallError || cause instanceof PackagesError
    throw isForCaller ? new StepFailure(cause.message, { cause }) : cause
  }
}

async function runScript(script: string, run: StepRun): Promise<void> {
  const { shell } = run.machine.guest
  await runCommand({ ...shell.script(script), ...administratorOf(run.machine) }, run)
}

/** Writes an archive to where the script expects it. The script removes it. */
async function unpack({ hash, script }: StepArchive, run: StepRun): Promise<void> {
  const { machine, readArchive, signal } = run
  await machine.files.write(archivePath, readArchive(hash), { ...administratorOf(machine), signal })
  await runScript(script, run)
}

async function runCommand(command: StepCommand, { machine, env, print, signal }: StepRun): Promise<void> {
  const { executable, args, user, workingDirectory } = command
  const process = await machine.exec({
    executable,
    args,
    ...(user !== undefined && { user }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    env: { ...env, ...command.env },
    whole: true,
    signal,
  })
  try {
    process.stdin.on('error', () => {}).end()
    const [exit] = await Promise.all([
      process.exited,
      forward(process.stdout, text => print('stdout', text)),
      forward(process.stderr, text => print('stderr', text)),
    ])
    signal.throwIfAborted()
    if (exit.code !== 0)
      throw new StepFailure(`The script ended with code ${exit.code}.`, { exitCode: exit.code })
  } finally {
    // Nothing that a step leaves running is there for the next one, because it would not be if the step is cached.
    process.kill()
    process.release()
  }
}

async function installPackages(names: readonly string[], run: StepRun): Promise<void> {
  const { machine, at, packages, print, signal } = run
  if (!packages) throw new StepFailure('This service does not download packages.')
  let last = ''
  const installed = await install({
    machine,
    source: packages,
    packages: names,
    id: `step-${at}`,
    signal,
    onProgress: progress => {
      const text = textOf(progress)
      if (text !== last) print('progress', text)
      last = text
    },
  })
  const what =
    installed.length > 0 ? `Installed ${installed.join(', ')}.` : 'Everything was installed already.'
  print('progress', `${what}\n`)
}

function textOf({ step, fetched, copied, total, percent }: Progress): string {
  if (typeof percent === 'number') return `${step} ${percent} %\n`
  const done = fetched ?? copied
  return done === undefined ? `${step}\n` : `${step} ${done} of ${total}\n`
}

async function writeFile(
  file: Extract<BuildStep, { file: unknown }>['file'],
  { machine, at, files, print, signal }: StepRun,
): Promise<void> {
  const { size } = await machine.files.write(file.path, files.contentOf(file, at), {
    ...administratorOf(machine),
    signal,
  })
  print('progress', `Wrote ${file.path}, ${size} bytes.\n`)
}

function administratorOf({ guest: { administrator } }: RunningMachine): { user?: string } {
  return administrator === undefined ? {} : { user: administrator }
}

/** Passes on what a program prints, without splitting characters. */
async function forward(stream: Readable, print: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) print(decoder.decode(chunk, { stream: true }))
  print(decoder.decode())
}
