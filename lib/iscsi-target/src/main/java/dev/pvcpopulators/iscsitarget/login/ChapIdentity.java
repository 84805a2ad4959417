package dev.pvcpopulators.iscsitarget.login;

/// The name and secret with which one side authenticates.
///
/// @param name the CHAP_N that this side sends
public record ChapIdentity(String name, ChapSecret secret) {}
