"""How public schemas map to roles: a shelf of data, one YAML file a schema, with its filter, nulls and labels."""
