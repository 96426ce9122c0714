export { performOnDesktop } from './perform.ts'
