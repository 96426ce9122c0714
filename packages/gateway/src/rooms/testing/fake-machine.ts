import { type Input, type Machine, MachineError, type Screen } from '@sandglass/machines/contract'
import { FakeScreen } from '../../picture/testing/fake-screen.ts'
import { type RoomMachine, ScreenSession, type SessionListener } from '../../session/index.ts'

/** A machine that has only a screen and records its input. */
export class FakeMachine implements Machine, RoomMachine {
  readonly handle = { engine: 'fake', version: 1, state: null }
  readonly screenSize = { width: 64, height: 48 }
  readonly died = new Promise<never>(() => {})
  readonly health = {}
  onHealth = () => {}
  readonly fakeScreen = new FakeScreen(64, 48)
  readonly actions: string[] = []
  readonly pasted: string[] = []
  /** Called with each text that the machine copies. */
  readonly copyWatchers = new Set<(text: string) => void>()
  /** While this is set, the machine accepts no input. */
  hold: Promise<void> | undefined
  /** How many more times watching the screen fails. */
  watchFailures = 0
  /** How many sessions cannot be opened. */
  openFailures = 0

  readonly screen: Screen = {
    size: () => this.fakeScreen.size(),
    look: () => this.fakeScreen.look(),
    sample: () => this.fakeScreen.sample(),
    settled: () => this.fakeScreen.settled(),
    watch: async watcher => {
      if (this.watchFailures === 0) return this.fakeScreen.watch(watcher)
      this.watchFailures--
      throw new MachineError('MACHINE_FAILED', 'the screen cannot be watched')
    },
    input: async () => this.#input,
    clipboard: {
      watch: async onCopy => {
        this.copyWatchers.add(onCopy)
        return () => void this.copyWatchers.delete(onCopy)
      },
      write: async text => void this.pasted.push(text),
    },
  }

  readonly #input: Input = {
    move: async ({ x, y }) => {
      await this.hold
      this.#note(`move ${x} ${y}`)
    },
    press: button => this.#note(`press ${button}`),
    release: button => this.#note(`release ${button}`),
    released: async () => {},
    prepare: async () => {},
    keyDown: keysym => this.#note(`down ${keysym}`),
    keyUp: keysym => this.#note(`up ${keysym}`),
    releaseAll: async () => this.#note('release all'),
    taken: async () => ({ x: 0, y: 0 }),
    type: async text => this.#note(`type ${text}`),
  }

  #note(action: string): void {
    this.actions.push(action)
  }

  get guest(): never {
    throw new Error('there is no system on paper')
  }

  get files(): never {
    throw new Error('a fake machine has no files')
  }

  exec(): never {
    throw new Error('a fake machine runs nothing')
  }

  dial(): never {
    throw new Error('a fake machine has no ports')
  }

  openSession(listener: SessionListener): ScreenSession {
    if (this.openFailures > 0) {
      this.openFailures--
      throw new Error('the machine cannot be reached')
    }
    return new ScreenSession(this.screen, listener)
  }

  close(): void {}
}
