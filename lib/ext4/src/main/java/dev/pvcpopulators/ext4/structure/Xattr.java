package dev.pvcpopulators.ext4.structure;

/// An extended attribute as the system calls give it: `user.mime_type`, `security.capability`,
/// `system.posix_acl_access`.
///
/// @param name with its namespace; UTF-8
public record Xattr(String name, Bytes value) {}
