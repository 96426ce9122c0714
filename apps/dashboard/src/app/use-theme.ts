import { useSyncExternalStore } from 'react'
import { chosenTheme, onThemeChange, shownTheme, type Theme } from './theme.ts'

/** The shown theme, for parts that draw themselves, such as plots and editors. */
export function useShownTheme(): 'light' | 'dark' {
  return useSyncExternalStore(onThemeChange, shownTheme)
}

export function useChosenTheme(): Theme {
  return useSyncExternalStore(onThemeChange, chosenTheme)
}
