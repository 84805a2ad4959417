package dev.pvcpopulators.it.torture.fault;

/// The registry answers with errors or with wrong data.
public non-sealed interface RegistryFault extends Fault {}
