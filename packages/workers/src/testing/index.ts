export { captureOf } from './capture-of.ts'
export { gradient, windows } from './frames.ts'
export { WaitingScreen } from './waiting-screen.ts'
export { workersHere } from './workers-here.ts'
