package dev.pvcpopulators.it.torture.fault;

/// The registry answers with errors, or lies.
public non-sealed interface RegistryFault extends Fault {}
