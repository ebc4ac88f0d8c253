/** Styles are part of the bundle. A module imports the ones it needs for that effect. */
declare module '*.css';
