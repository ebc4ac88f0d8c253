module.exports = require('../dist/presets/jest.cjs').startSharedServer;
