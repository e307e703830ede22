#!/usr/bin/perl
# A toy implementation of the kernel language and its runner: a few elementwise operations on f32, i32 and bool, over whole
# arrays.  It shows how little `tilegrind conform -- perl toy_runner.pl` needs (docs/conformance.md).
use strict;
use warnings;
use JSON::PP;

$| = 1;
my %size   = (f32 => 4, i32 => 4, bool => 1);
my %format = (f32 => 'f<*', i32 => 'l<*', bool => 'C*');

sub wrapped { my $n = $_[0] & 0xFFFFFFFF; return $n >= 2**31 ? $n - 2**32 : $n }

# What an operation makes of its operands' elements.  Doubles hold sums and products of two f32 so that one rounding is left.
my %ops = (
    neg    => { f32 => sub { -$_[0] }, i32 => sub { wrapped(-$_[0]) } },
    add    => { f32 => sub { $_[0] + $_[1] }, i32 => sub { wrapped($_[0] + $_[1]) } },
    sub    => { f32 => sub { $_[0] - $_[1] }, i32 => sub { wrapped($_[0] - $_[1]) } },
    mul    => { f32 => sub { $_[0] * $_[1] }, i32 => sub { use integer; wrapped($_[0] * $_[1]) } },
    square => { f32 => sub { $_[0] * $_[0] }, i32 => sub { use integer; wrapped($_[0] * $_[0]) } },
    sqrt   => { f32 => sub { $_[0] < 0 ? 9**9**9 / 9**9**9 : sqrt $_[0] } },
    lt     => { f32 => sub { $_[0] < $_[1] ? 1 : 0 }, i32 => sub { $_[0] < $_[1] ? 1 : 0 } },
    eq     => { f32 => sub { $_[0] == $_[1] ? 1 : 0 }, i32 => sub { $_[0] == $_[1] ? 1 : 0 } },
    and    => { i32 => sub { wrapped($_[0] & $_[1]) }, bool => sub { $_[0] & $_[1] } },
    or     => { i32 => sub { wrapped($_[0] | $_[1]) }, bool => sub { $_[0] | $_[1] } },
    xor    => { i32 => sub { wrapped($_[0] ^ $_[1]) }, bool => sub { $_[0] ^ $_[1] } },
);

sub unsupported { die { unsupported => $_[0] } }

# (dtype, number of elements, shape) of "f32[2,3]"
sub type_of {
    my ($dtype, $extents) = $_[0] =~ /^(?:ref<)?(\w+)\[([\d,]*)\]/ or unsupported("type $_[0]");
    unsupported("dtype $dtype") unless $size{$dtype};
    my $count = 1;
    $count *= $_ for split /,/, $extents;
    return ($dtype, $count, [split /,/, $extents]);
}

sub whole {
    my ($op, $shape) = @_;
    return !$op->{mask} && encode_json($op->{index}) eq encode_json([map { ['slice', 0, $_ + 0, 1] } @$shape]);
}

# A list of steps, each a function that works on the values by id.
sub load_kernel {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my $kernel = decode_json(do { local $/; <$file> })->{kernels}[0];
    unsupported('a grid') if @{$kernel->{grid}};
    unsupported("dialect $kernel->{dialect}") if ($kernel->{dialect} // 'xla') ne 'xla';
    my (%param, @steps);
    for my $k (0 .. $#{$kernel->{params}}) {
        my $param = $kernel->{params}[$k];
        unsupported("role $param->{role}") unless $param->{role} =~ /^(input|output)$/ && !$param->{alias};
        $param{$kernel->{body}{args}[$k]{id}} = $param;
    }
    push @steps, step($_, \%param) for @{$kernel->{body}{ops}};
    return { param => \%param, steps => \@steps };
}

sub step {
    my ($op, $param) = @_;
    my ($name, @in) = ($op->{op}, @{$op->{in} // []});
    if ($name eq 'load' || $name eq 'store') {
        my $at = $param->{$in[0]} or unsupported("$name of a view");
        unsupported("$name of a part") unless whole($op, (type_of($at->{type}))[2]);
        my ($to, $from) = $name eq 'load' ? ($op->{out}[0]{id}, $in[0]) : ($in[0], $in[1]);
        return sub { $_[0]{$to} = $_[0]{$from} };
    }
    unsupported("op $name") unless $ops{$name};
    my $out = $op->{out}[0];
    my ($dtype) = type_of($out->{type});
    return sub {
        my ($value) = @_;
        my $compute = $ops{$name}{$value->{$in[0]}{dtype}} or unsupported("op $name on $value->{$in[0]}{dtype}");
        my @lists = map { $value->{$_}{elements} } @in;
        my @made = map { my $k = $_; $compute->(map { $_->[$k] } @lists) } 0 .. $#{$lists[0]};
        @made = unpack $format{$dtype}, pack $format{$dtype}, @made;    # rounds to f32
        $value->{$out->{id}} = { dtype => $dtype, elements => \@made };
    };
}

# Where each tensor of a file is: name => [begin, end].
sub entries {
    my ($file) = @_;
    read $file, my $length, 8;
    $length = unpack 'Q<', $length;
    read $file, my $header, $length;
    my $entries = decode_json($header);
    return { map { $_ => [map { $_ + 8 + $length } @{$entries->{$_}{data_offsets}}] } keys %$entries };
}

sub run_kernel {
    my ($kernel, $inputs, $outputs) = @_;
    open my $in, '<:raw', $inputs or die "$inputs: $!\n";
    open my $out, '+<:raw', $outputs or die "$outputs: $!\n";    # in place
    my ($from, $to, %value) = (entries($in), entries($out));
    for my $id (keys %{$kernel->{param}}) {
        my $param = $kernel->{param}{$id};
        next if $param->{role} ne 'input';
        my ($dtype) = type_of($param->{type});
        my ($begin, $end) = @{$from->{$param->{name}}};
        seek $in, $begin, 0;
        read $in, my $bytes, $end - $begin;
        $value{$id} = { dtype => $dtype, elements => [unpack $format{$dtype}, $bytes] };
    }
    $_->(\%value) for @{$kernel->{steps}};
    for my $id (keys %{$kernel->{param}}) {
        my $param = $kernel->{param}{$id};
        next if $param->{role} ne 'output';
        seek $out, $to->{$param->{name}}[0], 0;
        print $out pack $format{$value{$id}{dtype}}, @{$value{$id}{elements}};
    }
    close $out or die "$outputs: $!\n";
}

my %kernels;
while (my $line = <STDIN>) {
    my $request = decode_json($line);
    last if $request->{cmd} eq 'bye';
    delete $kernels{$request->{kernel}} if $request->{cmd} eq 'drop';
    next unless defined $request->{seq};
    my $answer = eval {
        if ($request->{cmd} eq 'hello') {
            +{ protocol => 1, ir => ['0.1'], implementation => { name => 'toy in Perl', version => '1' } };
        } elsif ($request->{cmd} eq 'load') {
            $kernels{$request->{kernel}} = load_kernel($request->{path});
            +{ ok => JSON::PP::true };
        } elsif ($request->{cmd} eq 'run') {
            my $kernel = $kernels{$request->{kernel}} or die "no kernel $request->{kernel}\n";
            run_kernel($kernel, $request->{inputs}{path}, $request->{outputs}{path});
            +{ ok => JSON::PP::true };
        } else {
            +{ unsupported => "command $request->{cmd}" };
        }
    } // (ref $@ ? $@ : { error => { kind => 'die', message => "$@" } });
    print encode_json({ seq => $request->{seq}, %$answer }), "\n";
}
