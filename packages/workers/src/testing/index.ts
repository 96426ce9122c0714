export { captureOf } from './capture-of.ts'
export { gradient, windows } from './frames.ts'
