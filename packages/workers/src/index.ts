export type { RunningMachine } from './contract/index.ts'
