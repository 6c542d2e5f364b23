// Generated from openapi.json by "npm run generate".
export {};
