import type { Image, LoggedEvent, Parsed, Shape, Snapshot } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { NotFoundError } from '../errors.ts'
import type { Input } from '../operations.ts'
import type { Sandglass } from '../sandglass.ts'
import { actAll, actText, type RunTextOptions } from './act.ts'
import type { ActedBatch, ActedText } from './acted.ts'
import type { ActionInput } from './action-input.ts'
import { Files } from './files.ts'
import { Keyboard } from './keyboard.ts'
import { Live } from './live.ts'
import type { ObserveOptions } from './observe-options.ts'
import { Ports } from './ports.ts'
import { type RunOptions, type RunResult, runProgram } from './run.ts'
import { type SandboxInfo, untilRunning } from './running.ts'
import { untilSaved } from './saved.ts'
import { Screen, type ScreenshotOptions } from './screen.ts'
import { Shell, type ShellOptions, startShell } from './shell.ts'
import type { Shot } from './shot.ts'
import type { Target } from './target.ts'

export interface EventsOptions extends CallOptions {
  /** Whether to go on with events as they happen. Otherwise the loop ends with the last one. */
  readonly follow?: boolean | undefined
  /** Only these types; `sandbox.*` stands for all that begin so. */
  readonly types?: readonly string[] | undefined
  /** Only events since then, such as `2025-01-31T12:00:00Z`. */
  readonly since?: string | undefined
}

export interface SnapshotOptions extends CallOptions {
  readonly name?: string | undefined
  /** Whether programs continue where they are now after a `restore`. Only virtual machines can do that. */
  readonly memory?: boolean | undefined
}

export interface ImageOptions extends CallOptions {
  readonly description?: string | undefined
  /** Whether the sandbox is deleted once the image is ready. */
  readonly deleteSandbox?: boolean | undefined
}

export interface ParseOptions extends CallOptions {
  /** The sizes of the screen and of the image that the model was given, if coordinates have to be converted. */
  readonly screenWidth?: number | undefined
  readonly screenHeight?: number | undefined
  readonly imageWidth?: number | undefined
  readonly imageHeight?: number | undefined
}

/** The rules of a sandbox's life. What is left out stays as it is. */
export type LifecycleChange = NonNullable<Input<'changeSandboxLifecycle'>['body']>

/** What desktops and phones have in common. */
export abstract class BaseSandbox implements AsyncDisposable {
  readonly id: string
  /** The client with all operations, for what has no method here. */
  readonly client: Sandglass
  readonly keyboard: Keyboard
  readonly screen: Screen
  readonly files: Files
  readonly ports: Ports
  /** The program that runs commands. */
  protected abstract readonly shellProgram: string
  readonly #isOwned: boolean
  #isDeleted = false

  /** @param isOwned whether `await using` deletes it, because it was created here */
  protected constructor(client: Sandglass, id: string, isOwned: boolean) {
    this.client = client
    this.id = id
    this.#isOwned = isOwned
    const target = this.target
    this.keyboard = new Keyboard(target)
    this.screen = new Screen(target)
    this.files = new Files(target)
    this.ports = new Ports(target)
  }

  protected get target(): Target {
    return { client: this.client, sandboxId: this.id }
  }

  /**
   * Returns what the service knows about the sandbox now.
   *
   * @example
   * const { status, expiresAt, shape } = await box.info()
   */
  async info(options: CallOptions = {}): Promise<SandboxInfo & { readonly shape: Shape }> {
    return (await this.client.getSandbox({ sandboxId: this.id }, options)).sandbox
  }

  /**
   * Takes a screenshot, in one request.
   *
   * @example
   * const shot = await box.screenshot()
   * await writeFile('screen.webp', shot.bytes)
   */
  screenshot(options: ScreenshotOptions = {}): Promise<Shot> {
    return this.screen.screenshot(options)
  }

  /**
   * Performs several actions in one request, and takes one screenshot at the end. Throws an {@link ActionFailedError} if one of them
   * fails, and does not try those after it.
   *
   * @example
   * const { shot, changed } = await box.act([
   *   { type: 'keyboard:hotkey', keys: 'ctrl+l' },
   *   { type: 'keyboard:type', content: 'example.org\n', treatNewLineAsEnter: true },
   * ])
   */
  act(actions: readonly ActionInput[], options: ObserveOptions = {}): Promise<ActedBatch> {
    return actAll(this.target, actions, options)
  }

  /**
   * Runs a command to its end: a line for the shell, or a program with its arguments, which are passed as they are. An exit code other
   * than 0 is no error, unless `check` is set.
   *
   * @example
   * const { stdout } = await box.run('uname -a')
   * await box.run(['git', 'commit', '-m', message], { cwd: 'project', check: true })
   */
  run(
    command: string | readonly [program: string, ...args: string[]],
    options: RunOptions = {},
  ): Promise<RunResult> {
    const program = typeof command === 'string' ? ([this.shellProgram, '-c', command] as const) : command
    return runProgram(this.target, program, options)
  }

  /**
   * Starts a command whose output is read as it comes, and that takes input. Without a command it is an interactive shell with a
   * terminal.
   *
   * @example
   * await using shell = await box.shell('npm test')
   * for await (const { stdout } of shell) if (stdout) process.stdout.write(stdout)
   * const { exitCode } = await shell.exit
   */
  shell(command?: string, options: ShellOptions = {}): Promise<Shell> {
    const { tty = command === undefined } = options
    return startShell(this.target, command ?? this.shellProgram, { ...options, tty })
  }

  /**
   * Uses a shell that runs, also one that another program has started; `listSandboxShells` lists them. Its output begins with what is
   * kept of it. Nothing is requested before it is read or written.
   *
   * @example
   * const shell = box.attachShell(shellId)
   * for await (const { stdout } of shell) if (stdout) process.stdout.write(stdout)
   */
  attachShell(shellId: string): Shell {
    return new Shell(this.target, shellId)
  }

  /**
   * The live view: connection details, and invitations for people.
   *
   * @example
   * const { url } = await box.live().invite({ scope: ['input'] })
   */
  live(): Live {
    return new Live(this.target)
  }

  /**
   * Reads the actions in what a model wrote, and performs nothing.
   *
   * @param type the family of the model, such as `ui-tars`
   * @example
   * const { actions, thoughts } = await box.parse('ui-tars', text)
   */
  abstract parse(type: string, text: string, options?: ParseOptions): Promise<Parsed>

  /**
   * Performs what a model wrote, in one request.
   *
   * @example
   * const { shot } = await box.runText('ui-tars', "Action: click(start_box='(64,28)')", { image: true })
   */
  runText(type: string, text: string, options: RunTextOptions = {}): Promise<ActedText> {
    return actText(this.target, type, text, options)
  }

  /**
   * Pauses the sandbox. Its memory and screen are kept, and the time is not billed.
   *
   * @example
   * await box.pause()
   */
  async pause(options: CallOptions = {}): Promise<void> {
    await this.client.pauseSandbox({ sandboxId: this.id }, options)
  }

  /**
   * Continues a paused sandbox, or starts a hibernated one, and resolves when it runs.
   *
   * @example
   * await box.resume()
   */
  async resume(options: CallOptions = {}): Promise<void> {
    await this.client.resumeSandbox({ sandboxId: this.id }, options)
    await this.untilRunning(options)
  }

  /**
   * Stops the sandbox and keeps its files, and the memory of a virtual machine. It takes no memory until `resume()`.
   *
   * @example
   * await box.hibernate()
   */
  async hibernate(options: CallOptions = {}): Promise<void> {
    await this.client.hibernateSandbox({ sandboxId: this.id }, options)
  }

  /**
   * Starts the machine anew, with its files, and resolves when it runs.
   *
   * @example
   * await box.restart()
   */
  async restart(options: CallOptions = {}): Promise<void> {
    await this.client.restartSandbox({ sandboxId: this.id }, options)
    await this.untilRunning(options)
  }

  /**
   * Lets the sandbox live for so many seconds from now.
   *
   * @example
   * await box.extend(3600)
   */
  async extend(seconds: number, options: CallOptions = {}): Promise<void> {
    await this.client.extendSandbox({ sandboxId: this.id, body: { maxLifeSeconds: seconds } }, options)
  }

  /**
   * Changes what happens when its time is up or it is idle, and whether a call wakes it.
   *
   * @example
   * await box.setLifecycle({ onIdle: 'pause', idleSeconds: 600, autoResume: true })
   */
  async setLifecycle(change: LifecycleChange, options: CallOptions = {}): Promise<void> {
    await this.client.changeSandboxLifecycle({ sandboxId: this.id, body: change }, options)
  }

  /**
   * Resolves when the sandbox runs. `create`, `resume`, `restart` and `restore` wait for that themselves.
   *
   * @example
   * await box.untilRunning({ timeoutMs: 60_000 })
   */
  async untilRunning(options: CallOptions = {}): Promise<void> {
    await untilRunning(this.target, options)
  }

  /**
   * Deletes the sandbox with everything in it.
   *
   * @example
   * await box.delete()
   */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.client.deleteSandbox({ sandboxId: this.id }, options)
    this.#isDeleted = true
  }

  /** Deletes the sandbox if it was created here. One that was only connected to goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOwned || this.#isDeleted) return
    await this.delete().catch(error => {
      // It has expired, or was deleted by somebody else.
      if (!(error instanceof NotFoundError)) throw error
    })
  }

  /**
   * Lists what happened to the sandbox, from the beginning.
   *
   * @example
   * for await (const { type, time } of box.events({ follow: true })) console.log(time, type)
   */
  events(options: EventsOptions = {}): AsyncIterable<LoggedEvent> {
    const { follow = false, types, since, ...call } = options
    const input = {
      sandboxId: this.id,
      ...(types && { types: types.join(',') }),
      ...(since !== undefined && { since }),
    }
    if (follow) return this.client.stream('listSandboxEvents', input, call)
    return this.client.all('listSandboxEvents', input, call)
  }

  /**
   * Saves the disk, and the memory if that is wanted, to which `restore` returns. The sandbox goes on.
   *
   * @example
   * const { id } = await box.snapshot({ name: 'before the update' })
   */
  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    const { name = 'snapshot', memory } = options
    const input = { sandboxId: this.id }
    const body = { name, ...(memory !== undefined && { memory }) }
    const made = await this.client.createSandboxSnapshot({ ...input, body }, options)
    const find = async (call: CallOptions) => (await this.snapshots(call)).find(({ id }) => id === made.id)
    return untilSaved<Snapshot>(made, find, options)
  }

  /**
   * Lists the snapshots of this sandbox.
   *
   * @example
   * for (const { id, name } of await box.snapshots()) console.log(id, name)
   */
  snapshots(options: CallOptions = {}): Promise<readonly Snapshot[]> {
    return this.client.listSandboxSnapshots({ sandboxId: this.id }, options)
  }

  /**
   * Deletes a snapshot of this sandbox.
   *
   * @example
   * await box.deleteSnapshot(snapshot.id)
   */
  async deleteSnapshot(snapshotId: string, options: CallOptions = {}): Promise<void> {
    await this.client.deleteSandboxSnapshot({ sandboxId: this.id, snapshotId }, options)
  }

  /**
   * Sets the disk back to a snapshot, and resolves when the desktop runs again. What is newer is lost.
   *
   * @example
   * await box.restore(snapshot.id)
   */
  async restore(snapshotId: string, options: CallOptions = {}): Promise<void> {
    await this.client.restoreSandbox({ sandboxId: this.id, body: { snapshotId } }, options)
    await this.untilRunning(options)
  }

  /**
   * Saves the disk as an image, from which `Sandbox.create({ image })` starts others.
   *
   * @example
   * const { id } = await box.saveImage('logged in')
   * await using copy = await Sandbox.create({ image: id })
   */
  async saveImage(name: string, options: ImageOptions = {}): Promise<Image> {
    const { description, deleteSandbox = false } = options
    const body = {
      sandboxId: this.id,
      name,
      deleteSandbox,
      ...(description !== undefined && { description }),
    }
    const made = await this.client.createMachineImage({ body }, options)
    const find = async (call: CallOptions) => {
      const { images } = await this.client.listMachineImages({}, call)
      return images.find(({ id }) => id === made.id)
    }
    const image = await untilSaved<Image>(made, find, options)
    if (deleteSandbox) this.#isDeleted = true
    return image
  }
}
