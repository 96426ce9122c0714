export { type ExecOptions, type ExecSession, openExec } from './session.ts'
