import { type Input, type Machine, MachineError, type Screen } from '@sandglass/machines/contract'
import { PaperScreen } from '../../picture/testing/paper-screen.ts'

/** A machine of which there is nothing but a screen, whose hands write down what they do. */
export class PaperMachine implements Machine {
  readonly handle = { engine: 'paper', version: 1, state: null }
  readonly screenSize = { width: 64, height: 48 }
  readonly died = new Promise<never>(() => {})
  readonly health = {}
  onHealth = () => {}
  readonly paper = new PaperScreen(64, 48)
  readonly deeds: string[] = []
  readonly pasted: string[] = []
  /** What the machine copies is heard of by these. */
  readonly copyWatchers = new Set<(text: string) => void>()
  /** While it is set, a machine that does not take what it is told. */
  hold: Promise<void> | undefined
  /** So often it cannot be watched. */
  blindness = 0

  readonly screen: Screen = {
    size: () => this.paper.size(),
    look: () => this.paper.look(),
    settled: () => this.paper.settled(),
    watch: async watcher => {
      if (this.blindness === 0) return this.paper.watch(watcher)
      this.blindness--
      throw new MachineError('MACHINE_FAILED', 'nothing is to be seen')
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
    prepare: async () => {},
    keyDown: keysym => this.#note(`down ${keysym}`),
    keyUp: keysym => this.#note(`up ${keysym}`),
    releaseAll: async () => this.#note('release all'),
    taken: async () => ({ x: 0, y: 0 }),
    type: async text => this.#note(`type ${text}`),
  }

  #note(deed: string): void {
    this.deeds.push(deed)
  }

  get guest(): never {
    throw new Error('there is no system on paper')
  }

  get files(): never {
    throw new Error('there are no files on paper')
  }

  exec(): never {
    throw new Error('nothing runs on paper')
  }

  dial(): never {
    throw new Error('nobody answers on paper')
  }

  close(): void {}
}
