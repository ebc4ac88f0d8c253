/** Styles are part of the bundle; a module that needs some imports them for that effect. */
declare module '*.css';
